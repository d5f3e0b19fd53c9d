#!/usr/bin/env python3
"""A PostgreSQL server to be thrown away: a cluster of its own in a temporary folder, on a free port of loopback. Standard library only.

    scripts/postgres.py -- COMMAND ...   runs the command with REFDESK_TEST_POSTGRES set to its url, and ends it afterwards
    scripts/postgres.py                  prints the url and serves until the input ends or it is interrupted

It needs initdb and pg_ctl (Debian's package `postgresql`); REFDESK_POSTGRES_BIN names their folder where it is not the usual one. Run by
root, the server runs as the user `postgres`, because it refuses root. Nothing that was committed survives: fsync is off.
"""
import contextlib, glob, os, pwd, shutil, signal, socket, subprocess, sys, tempfile

OPTIONS = {
    "listen_addresses": "127.0.0.1", "unix_socket_directories": "", "fsync": "off", "synchronous_commit": "on",
    "max_connections": "200", "shared_buffers": "64MB", "log_min_messages": "warning",
}


def folder_of_programs():
    """Where initdb is, or None."""
    named = os.environ.get("REFDESK_POSTGRES_BIN")
    places = [named] if named else sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True)
    found = next((place for place in places if os.path.exists(os.path.join(place, "initdb"))), None)
    on_path = shutil.which("initdb")
    return found or (on_path and os.path.dirname(on_path))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def as_user(user, command):
    """The command as that user runs it; unchanged when this process is not root."""
    return command if user is None else ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups", *command]


@contextlib.contextmanager
def cluster(**options):
    """A running server; gives its url. Other options of postgresql.conf may be given."""
    programs = folder_of_programs()
    if programs is None:
        sys.exit("postgres.py: no initdb found; install the package `postgresql`, or name its folder in REFDESK_POSTGRES_BIN")
    user = pwd.getpwnam("postgres") if os.geteuid() == 0 else None
    folder = tempfile.mkdtemp(prefix="refdesk-postgres-")
    if user:
        os.chown(folder, user.pw_uid, user.pw_gid)
    data, port = os.path.join(folder, "data"), free_port()
    run = lambda *command: subprocess.run(as_user(user, list(command)), check=True, stdout=subprocess.DEVNULL, cwd=folder)
    try:
        run(os.path.join(programs, "initdb"), "-D", data, "-U", "refdesk", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N")
        with open(os.path.join(data, "postgresql.conf"), "a", encoding="utf-8") as conf:
            for name, value in {**OPTIONS, "port": port, **options}.items():
                conf.write(f"{name} = '{value}'\n")
        run(os.path.join(programs, "pg_ctl"), "-D", data, "-l", os.path.join(folder, "log"), "-w", "start")
        try:
            yield f"postgres://refdesk@127.0.0.1:{port}/postgres"
        finally:
            run(os.path.join(programs, "pg_ctl"), "-D", data, "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main():
    command = sys.argv[1:]
    if command and command[0] != "--":
        sys.exit(__doc__)
    # A script that is told to end ends its server first.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with cluster() as url:
        if command[1:]:
            sys.exit(subprocess.run(command[1:], env={**os.environ, "REFDESK_TEST_POSTGRES": url}).returncode)
        print(url, flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            sys.stdin.read()


if __name__ == "__main__":
    main()
