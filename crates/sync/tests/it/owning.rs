//! Making a hub, inviting and revoking.

use crate::test_hub::{PASSWORD, TestHub, name};
use backstory_sync::{Hub, HubAddress, HubError, HubMigration, HubOwner, Invitation, Revocation, SCHEMA};
use backstory_testkit::PrivateDatabase;

#[test]
fn owners_that_come_together_make_one_hub() {
    let Some(database) = PrivateDatabase::new() else { return };
    let address = HubAddress::parse(&database.url("owner")).unwrap();
    let make = || HubOwner::connect(&address, None).unwrap().migrate(&mut || {}).unwrap();
    let made: Vec<HubMigration> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..4).map(|_| scope.spawn(make)).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(made.iter().filter(|made| made.from == 0).count(), 1, "{made:?}");
    assert!(made.iter().all(|made| made.to == SCHEMA));
}

/// Law 11.
#[test]
fn a_newer_hub_is_refused_untouched_and_named() {
    let Some(test) = TestHub::with(&[("a", &["ann"])]) else { return };
    test.database.psql("INSERT INTO backstory.applied_migrations (version, digest) VALUES (99, '')");
    let refused = |error: HubError| matches!(error, HubError::Newer { found: 99, known: SCHEMA });
    assert!(refused(test.owner().migrate(&mut || {}).unwrap_err()));
    assert!(refused(test.join("ann", "a").unwrap_err()));
    assert!(refused(test.owner().invite(&name("a"), &test.name("eve"), PASSWORD).unwrap_err()));
}

/// A schema whose migrations have another text is none of ours: from before the first release, or changed by hand.
#[test]
fn a_hub_of_another_making_is_refused_untouched() {
    let Some(test) = TestHub::with(&[("a", &["ann"])]) else { return };
    let everything =
        "SELECT string_agg(table_name || '.' || column_name, ' ' ORDER BY table_name, column_name)
         FROM information_schema.columns WHERE table_schema = 'backstory'";
    for change in [
        "UPDATE backstory.applied_migrations SET digest = 'another'",
        "ALTER TABLE backstory.applied_migrations DROP COLUMN digest",
    ] {
        test.database.psql(change);
        let before = test.database.psql(everything);
        let refused = [
            test.owner().migrate(&mut || {}).unwrap_err(),
            test.join("ann", "a").unwrap_err(),
            test.owner().invite(&name("a"), &test.name("eve"), PASSWORD).unwrap_err(),
        ];
        assert!(refused.iter().all(|error| matches!(error, HubError::ForeignSchema)), "{refused:?}");
        assert_eq!(test.database.psql(everything), before);
    }
}

#[test]
fn a_database_without_a_hub_says_so() {
    let Some(database) = PrivateDatabase::new() else { return };
    let address = HubAddress::parse(&database.url("owner")).unwrap();
    assert!(matches!(Hub::join(&address, None, None), Err(HubError::NoHub)));
}

#[test]
fn a_member_gets_in_by_password_and_a_revoked_one_no_more() {
    let Some(test) = TestHub::with(&[("a", &["ann"]), ("b", &[])]) else { return };
    let ann = test.name("ann");
    let address = HubAddress::parse(&test.database.url(ann.as_str())).unwrap();
    assert!(matches!(Hub::join(&address, Some("guess"), None), Err(HubError::AccessDenied { .. })));
    assert_eq!(Hub::join(&address, Some(PASSWORD), None).unwrap().team(), &name("a"));
    assert_eq!(test.owner().invite(&name("b"), &ann, "unused").unwrap(), Invitation::Added);
    assert!(matches!(Hub::join(&address, Some(PASSWORD), None), Err(HubError::SeveralTeams { .. })));

    let mut in_a = test.join("ann", "a").unwrap();
    assert_eq!(test.owner().revoke(&name("a"), &ann).unwrap(), Revocation::Out);
    let also_who_is_logged_in = in_a.members().unwrap_err();
    assert!(matches!(also_who_is_logged_in, HubError::NotAMember { .. }), "{also_who_is_logged_in}");
    assert!(matches!(test.join("ann", "a"), Err(HubError::NotAMember { .. })));
    test.join("ann", "b").unwrap();
    assert_eq!(test.owner().revoke(&name("b"), &ann).unwrap(), Revocation::LoginClosed);
    assert!(matches!(test.join("ann", "b"), Err(HubError::AccessDenied { .. })));
    assert_eq!(test.owner().revoke(&name("b"), &ann).unwrap(), Revocation::NotAMember);
    // The login that was made for them is theirs again.
    assert_eq!(test.owner().invite(&name("b"), &ann, PASSWORD).unwrap(), Invitation::Made);
    test.join("ann", "b").unwrap();
}

/// What a role may do, and who it is in.
fn role(test: &TestHub, role: &str) -> String {
    test.database.psql(&format!(
        "SELECT rolcanlogin, rolpassword, (SELECT count(*) FROM pg_auth_members WHERE member = r.oid) FROM pg_authid r WHERE rolname = '{role}'"
    ))
}

#[test]
fn a_login_that_was_there_before_is_left_as_it_is() {
    let Some(test) = TestHub::with(&[("a", &[])]) else { return };
    let ann = test.name("ann");
    test.database.psql(&format!("CREATE ROLE \"{ann}\" LOGIN PASSWORD '{PASSWORD}'"));
    assert_eq!(test.owner().invite(&name("a"), &ann, "another").unwrap(), Invitation::Added);
    test.join("ann", "a").unwrap();
    let before = role(&test, ann.as_str());
    assert_eq!(test.owner().revoke(&name("a"), &ann).unwrap(), Revocation::LoginStays);
    assert_eq!(role(&test, ann.as_str()), before);
    assert!(matches!(test.join("ann", "a"), Err(HubError::NotAMember { .. })));
}

#[test]
fn a_group_does_not_become_a_login() {
    let Some(test) = TestHub::with(&[("a", &[])]) else { return };
    let group = test.name("staff");
    test.database.psql(&format!("CREATE ROLE \"{group}\""));
    let before = role(&test, group.as_str());
    let refused = test.owner().invite(&name("a"), &group, PASSWORD);
    assert!(matches!(refused, Err(HubError::NotALogin { .. })), "{refused:?}");
    assert_eq!(role(&test, group.as_str()), before);
}

/// Roles belong to the whole cluster.
#[test]
fn who_is_in_a_hub_of_another_database_gets_in_there_after_being_revoked_here() {
    let Some(test) = TestHub::with(&[("a", &["ann"])]) else { return };
    let Some(other) = TestHub::with(&[("a", &[])]) else { return };
    let ann = test.name("ann");
    assert_eq!(other.owner().invite(&name("a"), &ann, "unused").unwrap(), Invitation::Added);
    assert_eq!(test.owner().revoke(&name("a"), &ann).unwrap(), Revocation::LoginStays);
    let there = HubAddress::parse(&other.database.url(ann.as_str())).unwrap();
    assert_eq!(Hub::join(&there, Some(PASSWORD), None).unwrap().team(), &name("a"));
}

#[test]
fn a_team_that_is_not_there_is_named() {
    let Some(test) = TestHub::with(&[("a", &[])]) else { return };
    let refused = test.owner().invite(&name("b"), &test.name("ann"), PASSWORD);
    assert!(matches!(refused, Err(HubError::NoSuchTeam { .. })), "{refused:?}");
}

#[test]
fn two_hubs_differ_and_one_is_the_same_to_all() {
    let Some(test) = TestHub::with(&[("a", &["ann", "bob"])]) else { return };
    let Some(other) = TestHub::with(&[("a", &["ann"])]) else { return };
    let (ann, bob, there) = (test.member("ann", "a"), test.member("bob", "a"), other.member("ann", "a"));
    assert_eq!((ann.id(), ann.epoch()), (bob.id(), bob.epoch()));
    assert_ne!(ann.id(), there.id());
    assert_ne!(ann.epoch(), there.epoch(), "also in another database of one cluster");
}

#[test]
fn who_bypasses_row_level_security_is_neither_invited_nor_let_in() {
    let Some(test) = TestHub::with(&[("a", &[])]) else { return };
    let above = test.owner().invite(&name("a"), &name("postgres"), PASSWORD);
    assert!(matches!(above, Err(HubError::BypassesRls { .. })));
    let address = HubAddress::parse(&test.database.url("postgres")).unwrap();
    assert!(matches!(Hub::join(&address, None, None), Err(HubError::BypassesRls { .. })));
}

#[test]
fn a_password_never_reaches_the_server_as_it_is() {
    let Some(test) = TestHub::with(&[("a", &["ann"])]) else { return };
    let kept = test
        .database
        .psql(&format!("SELECT rolpassword FROM pg_authid WHERE rolname = '{}'", test.name("ann")));
    assert!(kept.starts_with("SCRAM-SHA-256$") && !kept.contains(PASSWORD), "{kept}");
}

/// Roles belong to the whole server: the one that searches sees the rows of every team, so nobody else may be able to become it.
#[test]
fn a_server_where_somebody_else_can_become_the_role_that_searches_is_refused() {
    let Some(database) = PrivateDatabase::alone() else { return };
    let test = TestHub::on(database, &[("a", &["ann"])]);
    test.database
        .psql("CREATE ROLE other LOGIN CREATEROLE; GRANT backstory_search TO other WITH ADMIN OPTION");
    let refused = test.owner().migrate(&mut || {}).unwrap_err();
    assert!(matches!(&refused, HubError::SearchRoleExposed { role } if role == "other"), "{refused:?}");
    test.database.psql("REVOKE backstory_search FROM other");
    test.owner().migrate(&mut || {}).unwrap();
}
