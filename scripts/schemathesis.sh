#!/usr/bin/env bash
# Holds a running server against its own OpenAPI document.
#
#   scripts/schemathesis.sh SCHEMATHESIS URL CASES
#
# CASES is about the number of test cases in all: 800 in the test script, 20,000 in the nightly form.
set -euo pipefail
tool=$1 url=$2 cases=$3
operations=36
# Cases go to several phases; -n counts per operation and phase. Some operations have fewer different cases, which the rest make up for.
# No answer is held against a clock: ten seconds pass by themselves on a shared machine that stands still. One that never comes is a failure.
SCHEMATHESIS_HOOKS=schemathesis_hooks PYTHONPATH=$(dirname "$0") "$tool" run "$url/openapi.json" --phases examples,coverage,fuzzing,stateful --checks all --max-response-time 60 --request-timeout 60 -m all \
  -n $((cases * 5 / 4 / operations + 1)) --continue-on-failure --seed 7 -w 2
