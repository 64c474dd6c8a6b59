"""A PostgreSQL of our own: in a temporary directory, on a socket nobody else knows, gone when the scene is."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

NOBODY = 65534


class Postgres:
    """A server with one database, `memories`, whose owner makes members; they log in by password."""

    def __init__(self, programs):
        self.programs = programs
        self.folder = Path(tempfile.mkdtemp(prefix="e2e-postgres-"))
        if os.geteuid() == 0:
            os.chown(self.folder, NOBODY, NOBODY)
        data = self.folder / "data"
        self.run("initdb", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync", "-D", data)
        (data / "pg_hba.conf").write_text("local all postgres trust\nlocal all owner trust\nlocal all all scram-sha-256\n")
        with open(data / "postgresql.conf", "a") as settings:
            settings.write(f"listen_addresses = ''\nunix_socket_directories = '{self.folder}'\nfsync = off\n")
        self.run("pg_ctl", "-w", "-D", data, "-l", self.folder / "log", "start")
        self.psql("postgres", "CREATE ROLE owner LOGIN CREATEROLE")
        self.psql("postgres", "CREATE DATABASE memories OWNER owner")

    def url(self, user):
        return f"postgres://{user}@{str(self.folder).replace('/', '%2F')}/memories"

    def psql(self, database, sql):
        """Runs a statement as a superuser, and returns what it prints."""
        command = [self.programs / "psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-U", "postgres", "-h", self.folder, "-d", database, "-c", sql]
        return subprocess.run(list(map(str, command)), env={}, check=True, capture_output=True, text=True).stdout.strip()

    def run(self, program, *arguments):
        """Runs a program of the server's, as somebody it does not mind being run by."""
        other = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
        command = [str(part) for part in (self.programs / program, *arguments)]
        # What goes on running must not hold a pipe of ours.
        subprocess.run(command, env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"}, cwd="/", check=True, timeout=120,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **other)

    def close(self):
        """Stops it, and takes it away."""
        try:
            self.run("pg_ctl", "-w", "-D", self.folder / "data", "-m", "immediate", "stop")
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)


def programs():
    """Where a server's programs are: BACKSTORY_TEST_POSTGRES, or the newest that is installed; None without one."""
    named = os.environ.get("BACKSTORY_TEST_POSTGRES")
    if named:
        return Path(named)
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parent.parent.name.split(".")[0]))
    return found[-1].parent if found else None
