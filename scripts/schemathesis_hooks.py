"""What OpenAPI cannot say about two parameters at once: cases that break such a rule are no valid data, and tests of our own hold
that they are refused."""

import re
from decimal import Decimal

import schemathesis

FILTERS_MAX = 20
UNITS = {"k": 1_000, "m": 1_000_000}


def tokens(text):
    """The number that a parameter of tokens means; None when it is none."""
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([km]?)", str(text).lower().replace(",", ""))
    return match and Decimal(match[1]) * UNITS.get(match[2], 1)


def reasons_within_output(query):
    """Reasoning is a part of the output."""
    output, reasoning = (tokens(query.get(name, 0)) for name in ("output_tokens", "reasoning_tokens"))
    return output is None or reasoning is None or reasoning <= output


def is_metered(query):
    """One kind of tokens is needed, and reasoning is a part of the output."""
    meters = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
    return any(name in query for name in meters) and reasons_within_output(query)


def names_something(query):
    """One of the two is needed."""
    return any(re.search(r"[^,\s]", str(query.get(name, ""))) for name in ("id", "ids"))


def has_few_filters(query):
    """`FILTERS_MAX` in the code; what is no filter is not counted, so this leaves out a few cases that are valid."""
    return len(query) <= FILTERS_MAX


# What every search takes; filters belong to the `type` that is asked for, and orders and facets are named by it.
SEARCH = {"q", "type", "fresh_only", "include_markdown", "limit", "mode", "understand"}
OF_EVERY_KIND = {"status", "vendor", "ids"}


RULES = {"/v1/cost": is_metered, "/v1/resolve": names_something}


def keeps_rule(case):
    path = case.operation.path
    rule = RULES.get(path, has_few_filters if path.endswith("/list") else None)
    return rule is None or rule(case.query or {})


@schemathesis.hook
def filter_case(context, case):
    return keeps_rule(case)


@schemathesis.hook
def before_add_examples(context, examples):
    """The examples of all parameters at once are more filters than a request may have, and of no one kind; a test of ours sends each alone."""
    examples[:] = [case for case in examples if case.operation.path != "/v1/search" and keeps_rule(case)]


@schemathesis.hook
def map_case(context, case):
    """Leaves of a valid search only what goes together."""
    if case.operation.path == "/v1/search" and case.query and case.meta and case.meta.generation.mode.is_positive:
        taken = SEARCH | OF_EVERY_KIND if "type" in case.query else SEARCH
        case.query = {name: value for name, value in case.query.items() if name in taken}
    return case
