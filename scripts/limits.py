#!/usr/bin/env python3
"""Makes docs/limits.md of the settings and constants that bound something, and holds it to them. Standard library only.

    scripts/limits.py             fails when the page is not what the code says, or names a test that is not there
    scripts/limits.py --write     writes the page

A limit is a setting or a constant whose name ends in _MAX, _MIN or _TIMEOUT; what it bounds is its description there. What happens beyond it
and the test that goes beyond it stand in BEYOND here.
"""
import argparse, os, re, sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "docs", "limits.md")
# Limits of these are about ranking or form, and bound no resource.
OF_RANKING = ("route/", "crates/search/", "embed/", "resolve/", "lint", "lab/")
CONSTANT = re.compile(r"((?:^[ \t]*///[^\n]*\n)+)(?:^[ \t]*#\[[^\n]*\n)*^[ \t]*(?:pub(?:\([a-z]+\))? )?const ([A-Z0-9_]+(?:_MAX|_MIN|_TIMEOUT)): ([^=]+) = ([^;]+);", re.M)
SETTING = re.compile(r"^\| `([a-z_]+)` \| `[A-Z_]+` \| `[^`]*` \| ([^|]*) \| ([^|]*) \|$", re.M)
BOUNDS = re.compile(r"_max$|_timeout$|_bytes$|^rate_limit|^write_|^drain$|grace$|^sync_|percent_max|_min$|^work_threads$")
# Name: what happens beyond it, and the test that goes there.
BEYOND = {
    "connections_max": ("the connection that has been idle longest is closed; without one, the oldest unfinished of whoever has most", "beyond_the_connections_the_longest_idle_goes"),
    "unfinished_per_address_max": ("the address loses its oldest unfinished request", "unfinished_bodies_hold_no_room_and_beyond_the_bound_the_oldest_goes"),
    "bodies_bytes_max": ("the oldest unfinished of whoever sends most is closed", "bodies_in_memory_have_a_bound_together"),
    "requests_in_flight_max": ("503 `busy`; probes and metrics are exempt", "beyond_the_requests_in_flight_503_comes_at_once"),
    "request_timeout": ("503 `busy`", "a_request_that_takes_too_long_ends_with_503"),
    "header_timeout": ("408 when a request has begun, else the connection is closed", "late_headers_are_told_and_silence_is_not"),
    "body_timeout": ("408", "a_body_that_does_not_come_is_a_408_after_body_timeout"),
    "write_timeout": ("the connection is closed", "a_client_that_never_reads_its_answers_is_cut_off"),
    "shutdown_grace": ("what still runs is cut off", "a_shutdown_does_not_wait_for_ever"),
    "drain": ("connections are no longer accepted", "at_shutdown_clients_with_open_connections_lose_no_request"),
    "rate_limit_anon": ("429 with `Retry-After`", "the_call_over_the_limit_is_429_and_told_when_to_come_back"),
    "rate_limit_key": ("429 with `Retry-After`", "a_key_has_its_own_limit_and_does_not_use_up_the_address"),
    "rate_limit_addresses_max": ("the oldest are dropped", "a_flood_of_addresses_stays_within_the_bound_and_drops_the_oldest"),
    "sync_memory_max": ("the sync ends with `too_large`; what the source had stays", "a_sync_never_takes_more_memory_than_the_setting_leaves_to_one_source"),
    "additions_percent_max": ("quarantined as `mass_addition`", "how_much_may_come_is_a_setting_and_grows_with_the_time_without_a_good_sync"),
    "removals_percent_max": ("quarantined as a mass removal", "the_share_that_may_go_is_a_setting"),
    "PARSED_BYTES_MAX": ("the page is the text in `<pre>` with a note; headings and search take what lies within", "a_text_beyond_the_caps_is_shown_as_it_was_written_with_a_note"),
    "NESTING_MAX": ("the page is the text in `<pre>` with a note", "a_text_beyond_the_caps_is_shown_as_it_was_written_with_a_note"),
    "RECORD_BYTES_MAX": ("the record is a reject, the others stand", "a_record_that_is_too_much_is_a_reject_and_the_others_stand"),
    "RECORD_VALUES_MAX": ("the record is a reject, the others stand", "a_record_that_is_too_much_is_a_reject_and_the_others_stand"),
    "ASKED_WAIT_MAX": ("the source is due after this time", "no_header_silences_a_source_for_more_than_a_day"),
    "CONDITIONAL_MAX": ("the source is asked without conditions", "an_upstream_that_always_says_not_modified_is_asked_without_conditions_after_a_week"),
    "CHECKED_AHEAD_MAX": ("the card is a reject", "a_card_that_was_checked_on_a_day_to_come_is_a_reject"),
    "NAMES_BYTES_MAX": ("the sync ends with `too_large`", "names_of_any_length_in_an_archive_cost_no_memory"),
    "CLOCK_AHEAD_SECS_MAX": ("the time is treated as absent and the fact is stale", "a_clock_that_was_ten_years_ahead_for_a_while_leaves_nothing_behind"),
    "QUERY_CHARS_MAX": ("400 `invalid_query`", "wrong_values_are_400_with_the_parameter_and_a_hint"),
}


def sources():
    for folder, _, names in os.walk(os.path.join(ROOT, "crates")):
        for name in sorted(names):
            path = os.path.join(folder, name)
            if name.endswith(".rs"):
                with open(path, encoding="utf-8") as f:
                    yield os.path.relpath(path, ROOT).replace(os.sep, "/"), f.read()


def shown(value, name):
    """`64 << 20` of a number of bytes as `64 MiB`; what is no plain number as it is written."""
    value = re.sub(r"\s+", " ", value.strip())
    spans = re.fullmatch(r"(?:Duration::from_|Span::)(secs|millis|mins|hours|days)\(([^)]+)\)", value)
    if spans:
        return f"{spans.group(2)} {spans.group(1).replace('millis', 'ms').replace('secs', 's').replace('mins', 'min').replace('hours', 'h').replace('days', 'd')}"
    if not re.fullmatch(r"[\d_ <*+()]+", value):
        return f"`{value}`"
    number = eval(value.replace("_", ""), {"__builtins__": {}})  # digits, shifts and products only, as matched above
    if "BYTES" in name:
        for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
            if number >= size and number % size == 0:
                return f"{number // size:,} {unit}"
    return f"{number:,}"


def described(comment):
    text = " ".join(line.strip()[3:].strip() for line in comment.strip().splitlines())
    return re.sub(r"\[(`[^`]+`)\](\([^)]*\))?", r"\1", text).replace("|", "\\|")


def cell_of_beyond(name):
    beyond, test = BEYOND.get(name, ("", ""))
    return f"{beyond} | {f'`{test}`' if test else ''}"


def page():
    with open(os.path.join(ROOT, "docs", "settings.md"), encoding="utf-8") as f:
        settings = [(key, default.strip(), what.strip()) for key, default, what in SETTING.findall(f.read()) if BOUNDS.search(key)]
    out = ["# Limits", "", "Generated from the settings and the constants of the code (`scripts/limits.py --write`); the test script compares. It lists the bounds on what",
           "a client, an upstream, a file or a clock can make large, long or many.", "", "## Settings", "", "| setting | default | what it bounds | beyond it | held by |", "|---|---|---|---|---|"]
    out += [f"| `{key}` | {default} | {what} | {cell_of_beyond(key)} |" for key, default, what in settings]
    constants = []
    for path, text in sorted(sources()):
        if "/src/" not in path or any(part in path for part in OF_RANKING):
            continue
        constants += [(path, name, shown(value, name), described(comment)) for comment, name, _, value in CONSTANT.findall(text)]
    out += ["", "## Constants", "", "| constant | value | what it bounds | beyond it | held by |", "|---|---|---|---|---|"]
    out += [f"| `{name}` in `{path.removeprefix('crates/')}` | {value} | {what} | {cell_of_beyond(name)} |" for path, name, value, what in constants]
    known = {key for key, _, _ in settings} | {name for _, name, _, _ in constants}
    return "\n".join(out) + "\n", sorted(set(BEYOND) - known)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    text, unknown = page()
    tests = set(re.findall(r"fn ([a-z0-9_]+)\(", "\n".join(code for _, code in sources())))
    failures = [f"{name} is no limit (any more)" for name in unknown]
    failures += [f"{name}: no test is called {test}" for name, (_, test) in BEYOND.items() if test and test not in tests]
    if options.write:
        with open(PAGE, "w", encoding="utf-8") as f:
            f.write(text)
    elif not os.path.exists(PAGE) or open(PAGE, encoding="utf-8").read() != text:
        failures.append("docs/limits.md is not what the code says; run scripts/limits.py --write")
    print("\n".join(failures) or "docs/limits.md is what the code says")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
