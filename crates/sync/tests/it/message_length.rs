//! A hub that sends more than it can have to say is refused before that is held in memory.

use backstory_sync::{Hub, HubAddress, HubError};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

/// Speaks PostgreSQL until the first request, then begins a message of two gigabytes. Returns how much of it was taken.
fn overflow(mut client: TcpStream) -> u64 {
    let mut startup = [0; 4096];
    assert!(client.read(&mut startup).unwrap() > 0);
    client.write_all(b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I").unwrap();
    assert!(client.read(&mut startup).unwrap() > 0);
    client.write_all(b"D\x7f\xff\xff\xff").unwrap();
    let (part, mut taken) = (vec![0; 1 << 16], 0);
    while client.write_all(&part).is_ok() && taken < 2 << 30 {
        taken += part.len() as u64;
    }
    taken
}

#[test]
fn a_message_of_two_gigabytes_is_refused_at_its_head() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = thread::spawn(move || overflow(listener.accept().unwrap().0));
    let address = HubAddress::parse(&format!("postgres://ann@127.0.0.1:{port}/hub?sslmode=disable")).unwrap();
    let refused = Hub::join(&address, None, None).unwrap_err();
    assert!(matches!(refused, HubError::TooLong { .. }), "{refused:?}");
    let taken = server.join().unwrap();
    assert!(taken < 64 << 20, "{taken} bytes were read");
    backstory_testkit::held("A05", 17, 1, "messages of 2 GB are refused");
}
