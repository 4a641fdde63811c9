#!/bin/sh
# Checks a project on a build machine: a report for code scanning, and annotations in the log of GitHub.
#
#   ci/check.sh [ARGUMENT...]      arguments of `watertight check`
#
# WATERTIGHT_BUILD   a command that makes compile_commands.json, such as `cmake -B build -DCMAKE_EXPORT_COMPILE_COMMANDS=ON`
# WATERTIGHT_REPORT  the SARIF report; default findings.sarif
# WATERTIGHT_FAIL    whether findings fail the job: true (the default) or false
set -eu

report=${WATERTIGHT_REPORT:-findings.sarif}
if [ -n "${WATERTIGHT_BUILD:-}" ]; then
    sh -c "$WATERTIGHT_BUILD"
fi
code=0
watertight check "$@" --format sarif -o "$report" || code=$?
# The second time everything is known already.
if [ -n "${GITHUB_ACTIONS:-}" ] && [ "$code" = 1 ]; then
    watertight check "$@" --quiet --exit-zero --format github
fi
if [ -n "${GITHUB_OUTPUT:-}" ]; then
    echo "report=$report" >>"$GITHUB_OUTPUT"
fi
[ "$code" != 1 ] || [ "${WATERTIGHT_FAIL:-true}" = true ] || code=0
exit "$code"
