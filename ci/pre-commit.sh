#!/bin/sh
# The hook for pre-commit (https://pre-commit.com): findings that have to do with what changed since the last commit.
#
#   ci/pre-commit.sh [ARGUMENT...]      arguments of `watertight check`
#
# Watertight and clang are installed the first time, as install.sh says.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
# In the first commit there is nothing to compare with.
git rev-parse --quiet --verify HEAD >/dev/null || exit 0
if ! command -v watertight >/dev/null; then
    WATERTIGHT_PREFIX=${WATERTIGHT_PREFIX:-${XDG_CACHE_HOME:-$HOME/.cache}/watertight-pre-commit}
    export WATERTIGHT_PREFIX
    PATH=$WATERTIGHT_PREFIX/bin:$PATH
    command -v watertight >/dev/null || "$here/install.sh"
fi
exec watertight check --since HEAD --quiet --format gcc "$@"
