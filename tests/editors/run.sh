#!/bin/sh
# Runs the snippets of docs/editor.md in the editors that are installed: each must show the finding of a small program.
#
#   tests/editors/run.sh WATERTIGHT [PAGE]
#
# An editor that is not there, or is too old for the snippet, is skipped with a line that says so. WATERTIGHT is the binary, PAGE the
# document, which is that of this repository unless another is named.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
binary=$(CDPATH='' cd -- "$(dirname -- "$1")" && pwd)/$(basename -- "$1")
page=${2:-$here/../../docs/editor.md}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/project" "$work/home"
ln -s "$binary" "$work/bin/watertight"
PATH=$work/bin:$PATH
HOME=$work/home
XDG_CONFIG_HOME=$work/home/.config
XDG_CACHE_HOME=$work/home/.cache
export PATH HOME XDG_CONFIG_HOME XDG_CACHE_HOME
: >"$work/project/watertight.toml"
cat >"$work/project/a.c" <<'C'
#include <stdlib.h>
int length(int n) {
    char *block = malloc(16);
    if (n == 3)
        return -1;
    free(block);
    return 0;
}
C
finding='`block` leaks'
failed=0

# The nth block of code of a language on the page.
snippet() {
    awk -v fence="\`\`\`$1" -v nth="${2:-1}" '$0 == fence { n++; on = n == nth; next } /^```/ { on = 0 } on' "$page"
}
skip() { echo "skip $1: $2"; }
# Whether an editor has written the finding down.
judge() {
    if grep -qF "$finding" "$2"; then
        echo "ok $1"
    else
        echo "FAILED $1:"
        cat "$2"
        failed=1
    fi
}

cd "$work/project"
if ! command -v nvim >/dev/null; then
    skip neovim "it is not installed"
elif ! nvim --headless -u NONE -c 'lua os.exit(vim.lsp.start and 0 or 1)' >/dev/null 2>&1; then
    skip neovim "$(nvim --version | head -n 1) is older than 0.8"
else
    snippet lua >"$work/init.lua"
    cp "$here/neovim.lua" "$work/wait.lua"
    FOUND=$work/neovim timeout 120 nvim --headless -u "$work/init.lua" -c 'filetype on' a.c -c "luafile $work/wait.lua" >"$work/neovim.log" 2>&1 || true
    [ -f "$work/neovim" ] || cp "$work/neovim.log" "$work/neovim"
    judge neovim "$work/neovim"
fi

if ! command -v emacs >/dev/null; then
    skip eglot "emacs is not installed"
    skip lsp-mode "emacs is not installed"
else
    for client in eglot lsp-mode; do
        if ! emacs --batch -l package -f package-initialize --eval "(require '$client)" >/dev/null 2>&1; then
            skip "$client" "this emacs does not have it"
            continue
        fi
        case $client in eglot) snippet elisp 1 ;; *) snippet elisp 2 ;; esac >"$work/$client.el"
        FOUND=$work/$client timeout 120 emacs --batch -l package -f package-initialize -l "$work/$client.el" -l "$here/$client.el" >"$work/$client.log" 2>&1 || true
        [ -f "$work/$client" ] || cp "$work/$client.log" "$work/$client"
        judge "$client" "$work/$client"
    done
fi

if helix=$(command -v hx || command -v helix); then
    mkdir -p "$XDG_CONFIG_HOME/helix"
    snippet toml >"$XDG_CONFIG_HOME/helix/languages.toml"
    # It wants a terminal. What servers tell it is in its log.
    (sleep 20; printf ':q!\r') | TERM=xterm-256color timeout 60 script -qec "stty rows 30 cols 100; '$helix' -vvv --log '$work/helix' a.c" /dev/null >/dev/null 2>&1 || true
    [ -f "$work/helix" ] || : >"$work/helix"
    judge helix "$work/helix"
else
    skip helix "it is not installed"
fi
exit "$failed"
