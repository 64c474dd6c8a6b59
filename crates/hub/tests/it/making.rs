//! Making a hub, inviting and revoking.

use crate::kit::{PASSWORD, TestHub, name};
use backstory_hub::{Address, Hub, HubError, Invitation, Migrated, Owner, SCHEMA};
use backstory_testkit::PrivateDatabase;

#[test]
fn owners_that_come_together_make_one_hub() {
    let Some(database) = PrivateDatabase::new() else { return };
    let address = Address::parse(&database.url("owner")).unwrap();
    let make = || Owner::connect(&address, None).unwrap().migrate().unwrap();
    let made: Vec<Migrated> = std::thread::scope(|scope| {
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
    test.database.psql("INSERT INTO backstory.applied_migrations (version) VALUES (99)");
    let refused = |error: HubError| matches!(error, HubError::Newer { found: 99, known: SCHEMA });
    assert!(refused(test.owner().migrate().unwrap_err()));
    assert!(refused(test.join("ann", "a").unwrap_err()));
    assert!(refused(test.owner().invite(&name("a"), &test.name("eve"), PASSWORD).unwrap_err()));
}

#[test]
fn a_database_without_a_hub_says_so() {
    let Some(database) = PrivateDatabase::new() else { return };
    let address = Address::parse(&database.url("owner")).unwrap();
    assert!(matches!(Hub::join(&address, None, None), Err(HubError::NoHub)));
}

#[test]
fn a_member_gets_in_by_password_and_a_revoked_one_no_more() {
    let Some(test) = TestHub::with(&[("a", &["ann"]), ("b", &[])]) else { return };
    let ann = test.name("ann");
    let address = Address::parse(&test.database.url(ann.as_str())).unwrap();
    assert!(matches!(Hub::join(&address, Some("guess"), None), Err(HubError::NotLetIn { .. })));
    assert_eq!(Hub::join(&address, Some(PASSWORD), None).unwrap().team(), &name("a"));
    assert_eq!(test.owner().invite(&name("b"), &ann, "unused").unwrap(), Invitation::Added);
    assert!(matches!(Hub::join(&address, Some(PASSWORD), None), Err(HubError::SeveralTeams { .. })));

    let mut in_a = test.join("ann", "a").unwrap();
    assert!(test.owner().revoke(&name("a"), &ann).unwrap());
    assert_eq!(in_a.members().unwrap(), [""; 0], "also who is logged in sees nothing any more");
    assert!(matches!(test.join("ann", "a"), Err(HubError::NotAMember { .. })));
    test.join("ann", "b").unwrap();
    assert!(test.owner().revoke(&name("b"), &ann).unwrap());
    assert!(matches!(test.join("ann", "b"), Err(HubError::NotLetIn { .. })));
    assert!(!test.owner().revoke(&name("b"), &ann).unwrap());
}

#[test]
fn who_stands_above_the_rules_is_neither_invited_nor_let_in() {
    let Some(test) = TestHub::with(&[("a", &[])]) else { return };
    let above = test.owner().invite(&name("a"), &name("postgres"), PASSWORD);
    assert!(matches!(above, Err(HubError::AboveTheRules { .. })));
    let address = Address::parse(&test.database.url("postgres")).unwrap();
    assert!(matches!(Hub::join(&address, None, None), Err(HubError::AboveTheRules { .. })));
}

#[test]
fn a_password_never_reaches_the_server_as_it_is() {
    let Some(test) = TestHub::with(&[("a", &["ann"])]) else { return };
    let kept = test
        .database
        .psql(&format!("SELECT rolpassword FROM pg_authid WHERE rolname = '{}'", test.name("ann")));
    assert!(kept.starts_with("SCRAM-SHA-256$") && !kept.contains(PASSWORD), "{kept}");
}
