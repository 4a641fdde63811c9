#!/bin/sh
# Installs the packages that `./x package` made in a clean system, and finds a leak there with each of them.
#
#   tests/package/clean_root.sh PACKAGES [ROOT]
#
# PACKAGES is the folder with the .deb and the tarball. ROOT is a Debian system to copy, as debootstrap makes it; without
# one it is made, which needs the network. Must be run by root. Nothing of the repository is visible inside.
set -eu

packages=$(CDPATH='' cd -- "${1:?the folder with the packages}" && pwd)
model=${2:-}
[ "$(id -u)" = 0 ] || { echo "clean_root.sh: chroot needs root" >&2; exit 3; }

work=$(mktemp -d)
root=$work/root
clean() {
    umount "$root/proc" 2>/dev/null || true
    rm -rf --one-file-system "$work"
}
trap clean EXIT

say() { printf '%s\n' "clean_root: $*"; }
fail() { say "FAILED: $*"; exit 1; }
inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }

if [ -n "$model" ]; then
    cp -a "$model" "$root"
else
    debootstrap --variant=minbase stable "$root" >"$work/debootstrap.log" 2>&1 || fail "debootstrap: see $(cat "$work/debootstrap.log")"
fi
mkdir -p "$root/proc" "$root/packages"
mount -t proc proc "$root/proc"
cp /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || true
cp "$packages"/*.deb "$packages"/*.tar.gz "$root/packages/"

# A program of one's own: the file stays open when the header is wrong.
mkdir -p "$root/root/own"
cat >"$root/root/own/header.c" <<'C'
#include <stdio.h>

int has_magic(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return -1;
    if (fgetc(file) != 0x7f)
        return 0;
    fclose(file);
    return 1;
}
C

# Looks for the leak with the given binary, as a new user would.
finds() {
    code=0
    inside sh -c "cd /root/own && $1 check 2>&1" >"$work/out" || code=$?
    [ "$code" = 1 ] || { cat "$work/out"; fail "$1 check ends with $code"; }
    grep -q 'header.c:5:' "$work/out" && grep -q 'resource-leak' "$work/out" || { cat "$work/out"; fail "$1 does not find the leak"; }
    inside rm -rf /root/own/.watertight
}

deb=$(basename "$packages"/*.deb)
begin=$(date +%s)
inside sh -c "apt-get update >/dev/null 2>&1; apt-get install -y --no-install-recommends /packages/$deb clang" >"$work/apt.log" 2>&1 ||
    { tail -20 "$work/apt.log"; fail "the .deb cannot be installed"; }
say "$deb installed with clang in $(($(date +%s) - begin)) s; binary of $(stat -c %s "$root/usr/bin/watertight") bytes"
for file in usr/share/man/man1/watertight.1.gz usr/share/man/man1/watertight-check.1.gz \
    usr/share/bash-completion/completions/watertight usr/share/zsh/vendor-completions/_watertight \
    usr/share/fish/vendor_completions.d/watertight.fish usr/share/doc/watertight/copyright \
    usr/share/doc/watertight/README.md usr/share/doc/watertight/docs/output.md; do
    [ -f "$root/$file" ] || fail "/$file is missing"
done
finds watertight
inside dpkg --remove watertight >/dev/null
[ ! -e "$root/usr/bin/watertight" ] || fail "the binary is left behind"

tarball=$(basename "$packages"/*.tar.gz)
inside tar -xzf "/packages/$tarball" -C /opt
folder=/opt/${tarball%.tar.gz}
finds "$folder/bin/watertight"
inside test -f "$folder/share/man/man1/watertight.1" || fail "the tarball has no manual"
inside test -f "$folder/docs/output.md" || fail "the tarball has no documents"
say "both packages find the leak"
