#!/usr/bin/env python3
"""A PostgreSQL server to be thrown away: a cluster of its own in a temporary folder, on a free port of loopback. Standard library only.

    scripts/postgres.py -- COMMAND ...   runs the command with REFDESK_TEST_POSTGRES set to its url, and ends it afterwards
    scripts/postgres.py                  prints the url and serves until the input ends or it is interrupted

It needs initdb and pg_ctl (Debian's package `postgresql`); REFDESK_POSTGRES_BIN names their folder where it is not the usual one. Run by
root, the server runs as the user `postgres`, because it refuses root. Nothing that was committed survives: fsync is off.
"""
import contextlib, os, signal, subprocess, sys, tempfile

from engines import Postgres, program


@contextlib.contextmanager
def cluster():
    """A running server; gives its url."""
    if program("initdb") is None:
        sys.exit("postgres.py: no initdb found; install the package `postgresql`, or name its folder in REFDESK_POSTGRES_BIN")
    with tempfile.TemporaryDirectory(prefix="refdesk-postgres-", ignore_cleanup_errors=True) as folder:
        server = Postgres(folder, "server", user="refdesk")
        try:
            server.initialize("--no-sync", unix_socket_directories="", fsync="off", synchronous_commit="on", max_connections=200, log_min_messages="warning")
            yield f"postgres://refdesk@127.0.0.1:{server.port}/postgres"
        finally:
            server.stop()


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
