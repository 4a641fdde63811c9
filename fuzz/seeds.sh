#!/bin/sh
# Makes the seed inputs of the fuzz targets from the sources in tests/.
#
# In: tests/c/run, tests/c/memory-leak (the smallest ones), tests/ir, models and properties. Out: a folder of seeds for each
# target in fuzz/corpus, and words of their languages in fuzz/corpus/TARGET.dict; none is kept in git.
# Uses whichever of the clang versions are installed. `fuzz/seeds.sh texts` makes those that need none.
set -eu
cd "$(dirname "$0")/.."
bitcode=fuzz/corpus/bitcode
text=fuzz/corpus/text_ir
mkdir -p "$bitcode" "$text"

# A file of a corpus, from what is printed.
seed() {
    mkdir -p "fuzz/corpus/$1"
    cat >"fuzz/corpus/$1/$2"
}

texts() {
    for file in models/*.model; do head -c 3000 "$file" | seed models "$(basename "$file")"; done
    for file in properties/*.property; do seed properties "$(basename "$file")" <"$file"; done
    grep -oh '"[a-z][a-z0-9_-]*"' crates/summary/src/model/*.rs crates/summary/src/property/parse.rs | sort -u |
        tee fuzz/corpus/models.dict >fuzz/corpus/properties.dict

    printf '[{"directory":"/w","file":"a.c","command":"cc -DX=\\"a b\\" -I inc -c a.c -o a.o"}]' | seed database command
    printf '[{"directory":"b","file":"../a.c","arguments":["ccache","gcc","@r.rsp","-Wp,-D,X,-MD,f","-include","x.h","a.c"],"output":"a.o"}]' |
        seed database arguments
    printf '[{"file":1},{},{"directory":"/w","file":"a.c","arguments":[]},{"file":"a.c","command":"cc -c '\''a.c"}]' | seed database bad
    grep -oh '"--*[a-zA-Z][a-zA-Z0-9=_,+-]*"' crates/capture/src/kept_flags.rs crates/capture/src/flag_table.rs | sort -u |
        tee fuzz/corpus/responses.dict fuzz/corpus/records.dict >fuzz/corpus/database.dict
    printf 'cc -DX="a b" @1 '\''c d'\'' -c a.c\0-I inc @2\0@0 -Wp,-D,,-U' | seed responses nested
    printf '%s' "cc --define-macro= -target x 'a\\'b' \"c\\\"d\" -isystem @x" | seed responses quotes
    printf '7:started,12:00000001aaaa,6:parent,12:/usr/bin/gcc,2:/w,1:3,3:gcc,2:-c,3:a.c,1:1,8:CPATH=/x,1:1,5:r.rsp,3:-DX,\n' |
        seed records log
    printf '/w\0/usr/bin/gcc\0-c\0a.c\0' | seed records shim

    printf 'rules = ["all", "-leak-at-exit"]\nconfidence = "high"\nmodels = ["a.model"]\ninclude = ["src/**/*.c"]\nthreads = 4\n' |
        seed settings settings
    printf '[[mark]]\nfinding = "%s"\nverdict = "false"\nreason = "\\"x\\""\nfile = "a.c"\n' 0123456789abcdef0123456789abcdef |
        seed settings marks
    printf '{"version": 1, "scheme": "watertight/v1", "findings": [\n{"fingerprint":"ab","file":"a.c","function":"f","rule":"memory-leak","message":"m"}\n]}' |
        seed reports baseline

    printf '\002GET / HTTP/1.1\r\nHost: localhost\r\nCookie: watertight=token\r\n\r\n' | seed http page
    printf '\001POST /api/marks?finding=%%61b HTTP/1.1\r\nHost: 127.0.0.1:80\r\nOrigin: http://127.0.0.1\r\nContent-Length: 2\r\n\r\n{}' |
        seed http write
    printf '"Host: "\n"Origin: "\n"Content-Length: "\n"Transfer-Encoding: "\n"/api/"\n"?token="\n"\\x0d\\x0a"\n' >fuzz/corpus/http.dict

    frame() { printf 'Content-Length: %s\r\n\r\n%s' "${#1}" "$1"; }
    open='{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///w/a%20b.c","text":"free(x);"}}}'
    hover='{"jsonrpc":"2.0","id":1,"method":"textDocument/hover","params":{"textDocument":{"uri":"file:///w/a.c"},"position":{"line":0,"character":2}}}'
    { frame "$open"; frame "$hover"; } | seed session open
    { printf 'Content-Length: 99999999999\r\n\r\n{}'; frame "$hover"; } | seed session bad

    for file in $(small tests/c/memory-leak 40); do { printf '\005\004\005\004\010\001'; cat "$file"; } | seed sources "$(basename "$file")"; done
    printf '"// watertight: ignore[memory-leak] "\n"watertight"\n"memory-leak"\n"/*"\n"*/"\n' >fuzz/corpus/sources.dict
}

# Small inputs mutate best, so the large sources are left out.
small() { find "$1" -maxdepth 1 -name '*.c' -printf '%s %p\n' | sort -n | head -n "$2" | cut -d' ' -f2; }

texts
[ "${1:-}" != texts ] || exit 0

versions=""
for version in 14 16 19 22; do
    if command -v "clang-$version" >/dev/null; then versions="$versions $version"; fi
done
[ -n "$versions" ] || { echo "no clang-14, -16, -19 or -22 found" >&2; exit 1; }

sources=$(small tests/c/run 25; small tests/c/memory-leak 35)
for source in $sources; do
    name=$(basename "$(dirname "$source")")-$(basename "$source" .c)
    for version in $versions; do
        for flags in "-O0" "-O0 -g" "-O2 -g"; do
            out="$bitcode/$name-$version-$(echo "$flags" | tr -d ' -').bc"
            # Some compilers refuse some sources; the rest is enough.
            "clang-$version" -w -Itests/c $flags -c -emit-llvm "$source" -o "$out" 2>/dev/null || true
        done
    done
done

find tests/ir -name '*.ir' | while read -r file; do
    cp "$file" "$text/$(echo "$file" | tr / -)"
done
cargo build -q --release -p watertight-frontend --example load
for form in --memory --ssa; do
    find "$bitcode" -name '*-O0g.bc' -size -14k | sort | awk 'NR % 3 == 0' | while read -r file; do
        target/release/examples/load --print "$form" "$file" >"$text/$(basename "$file" .bc)$form.ir" 2>/dev/null
    done
done
grep -oh '"[a-z][a-z0-9_.]*"' crates/ir/src/words.rs crates/ir/src/inst.rs crates/ir/src/types.rs \
    crates/ir/src/parse/*.rs | sort -u >fuzz/corpus/text_ir.dict
echo "$(ls "$bitcode" | wc -l) bitcode seeds, $(ls "$text" | wc -l) text seeds"
