"""What a script has found so far: failures are told at once and counted, and its exit code follows. One script is one process, so the lists
are plain. Pages are made by page.py. Standard library only.
"""
import os, sys

failures, skipped = [], []
# Beyond so many, failures are only counted: one cause fails thousands of requests.
TOLD_MAX, SHOWN_CHARS_MAX = 50, 600


def fail(text):
    failures.append(text)
    if len(failures) <= TOLD_MAX:
        print("FAIL ", text, flush=True)


def check(what, got, wanted):
    if got != wanted:
        fail(f"{what}: got {repr(got)[:SHOWN_CHARS_MAX]}, wanted {repr(wanted)[:SHOWN_CHARS_MAX]}")


def held(what, is_so, detail=""):
    """Tells a check that holds, too."""
    if is_so:
        print("ok   ", what, flush=True)
    else:
        fail(f"{what}: {detail}" if detail else what)


def figure(what, value, goal, is_so):
    """Tells a figure beside its goal; the row of a table with both."""
    held(f"{what}: {value} (goal: {goal})", is_so)
    return what, value, goal, "yes" if is_so else "**no**"


def skip(what, why):
    skipped.append(f"{what}: {why}")
    print("skip ", skipped[-1], flush=True)


def all_asked_for():
    """Whether what is skipped is a failure."""
    return os.environ.get("REFDESK_TEST_ALL") == "1"


def needed(path, told):
    """Ends the script when it lacks a file that it is about."""
    if not os.path.exists(path):
        print(told)
        sys.exit(1 if all_asked_for() else 0)


def end(told=None):
    print(f"{len(failures)} failures" if told is None else told)
    sys.exit(1 if failures or skipped and all_asked_for() else 0)
