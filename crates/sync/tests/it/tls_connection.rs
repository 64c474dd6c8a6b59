//! What goes over a network is kept from others, with a server that proves itself.

use backstory_sync::{HubAddress, HubError, HubOwner};
use backstory_testkit::PrivateDatabase;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Makes a certificate that signs itself, and its key; `None` where there is no program for it.
fn certificate(dir: &Path) -> Option<(String, String)> {
    let wanted = dir.join("wanted");
    let text = "[req]\nprompt = no\ndistinguished_name = name\nx509_extensions = more\n[name]\nCN = localhost\n[more]\n\
        subjectAltName = DNS:localhost\nbasicConstraints = critical, CA:FALSE\n";
    fs::write(&wanted, text).unwrap();
    let (key, certificate) = (dir.join("key"), dir.join("certificate"));
    let made = Command::new("openssl")
        .args([
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-days",
            "2",
            "-config",
        ])
        .arg(&wanted)
        .arg("-keyout")
        .arg(&key)
        .arg("-out")
        .arg(&certificate)
        .output();
    let made = made.ok()?;
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    Some((fs::read_to_string(certificate).unwrap(), fs::read_to_string(key).unwrap()))
}

#[test]
fn a_server_proves_itself_or_is_not_spoken_to() {
    let dir = tempfile::tempdir().unwrap();
    let Some((certificate, key)) = certificate(dir.path()) else {
        println!("SKIPPED: there is no openssl to make a certificate with");
        return;
    };
    let Some(database) = PrivateDatabase::with_tls(&certificate, &key) else { return };
    let root = dir.path().join("certificate").display().to_string().replace('/', "%2F");
    let url = database.url_by_loopback("owner").unwrap();
    let connect = |parameters: &str| {
        HubOwner::connect(&HubAddress::parse(&format!("{url}?{parameters}")).unwrap(), None)
    };

    let not_proven = connect("sslmode=require").unwrap_err();
    assert!(matches!(not_proven, HubError::UnverifiedServer { .. }), "{not_proven:?}");
    let mut owner = connect(&format!("sslrootcert={root}")).unwrap();
    let is_secured =
        "SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE usename = 'owner'";
    assert_eq!(database.psql(is_secured), "t");
    owner.migrate(&mut || {}).unwrap();
    drop(owner);
    let other_name = url.replace("localhost", "127.0.0.1");
    let other_name = HubAddress::parse(&format!("{other_name}?sslrootcert={root}")).unwrap();
    let not_proven = HubOwner::connect(&other_name, None).unwrap_err();
    assert!(matches!(not_proven, HubError::UnverifiedServer { .. }), "{not_proven:?}");

    // Somebody in between says that there is no TLS.
    database.psql("ALTER SYSTEM SET ssl = off");
    database.psql("SELECT pg_reload_conf()");
    while database.psql("SHOW ssl") != "off" {
        std::thread::yield_now();
    }
    let stripped = connect("sslmode=require").unwrap_err();
    assert!(matches!(stripped, HubError::NoTls { .. }), "{stripped:?}");
    connect("sslmode=disable").unwrap();
}
