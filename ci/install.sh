#!/bin/sh
# Installs clang and watertight on a build machine, as far as they are missing.
#
#   ci/install.sh
#
# WATERTIGHT_PACKAGE  a .deb or .tar.gz that `./x package` made: a path or an address. Without one watertight is built from the source
#                     that this script is part of, which needs cargo.
# WATERTIGHT_PREFIX   where to put it (not for a .deb); default $HOME/.local. Its bin/ is added to GITHUB_PATH where there is one.
set -eu

source=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
prefix=${WATERTIGHT_PREFIX:-$HOME/.local}

say() { printf '%s\n' "watertight: $*" >&2; }

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

has_clang() {
    [ -z "${WATERTIGHT_CLANG:-}" ] || return 0
    for version in '' -22 -21 -20 -19 -18 -17 -16 -15 -14; do
        command -v "clang$version" >/dev/null && return 0
    done
    return 1
}

packages() {
    export DEBIAN_FRONTEND=noninteractive
    if command -v apt-get >/dev/null; then
        as_root apt-get update -q && as_root apt-get install -y -q --no-install-recommends "$@"
    elif command -v dnf >/dev/null; then
        as_root dnf install -y "$@"
    elif command -v apk >/dev/null; then
        as_root apk add "$@"
    elif command -v brew >/dev/null; then
        brew install llvm
    else
        say "install clang 14 or newer first; there is no package manager here that this script knows"
        exit 3
    fi
}

# Prints the path of the package, fetched if it is an address.
fetched() {
    case "$WATERTIGHT_PACKAGE" in
    *://*)
        folder=$(mktemp -d)
        file=$folder/$(basename "$WATERTIGHT_PACKAGE")
        curl --fail --silent --show-error --location --output "$file" "$WATERTIGHT_PACKAGE"
        echo "$file"
        ;;
    *) echo "$WATERTIGHT_PACKAGE" ;;
    esac
}

has_clang || { say "installing clang"; packages clang; }

if command -v watertight >/dev/null; then
    say "$(watertight --version) is installed"
    exit 0
fi
if [ -n "${WATERTIGHT_PACKAGE:-}" ]; then
    file=$(fetched)
    say "installing $file"
    case "$file" in
    *.deb) packages "$(CDPATH='' cd -- "$(dirname -- "$file")" && pwd)/$(basename "$file")" ;;
    *.tar.gz)
        mkdir -p "$prefix"
        tar -xzf "$file" -C "$prefix" --strip-components=1
        ;;
    *)
        say "$file is neither a .deb nor a .tar.gz"
        exit 2
        ;;
    esac
elif command -v cargo >/dev/null; then
    say "building watertight from $source"
    cargo install --locked --quiet --path "$source/crates/cli" --root "$prefix"
else
    say "name a package in WATERTIGHT_PACKAGE, or install cargo to build watertight from source"
    exit 3
fi
if [ -n "${GITHUB_PATH:-}" ]; then
    echo "$prefix/bin" >>"$GITHUB_PATH"
fi
PATH=$prefix/bin:$PATH
say "$(watertight --version) is installed"
