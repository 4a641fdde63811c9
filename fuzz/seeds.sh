#!/bin/sh
# Makes the seed inputs of the fuzz targets from the sources in tests/.
#
# In: tests/c/run, tests/c/memory-leak (the smallest ones) and tests/ir. Out: fuzz/corpus/bitcode,
# fuzz/corpus/text_ir and the words of the text form in fuzz/corpus/text_ir.dict; none is kept in git.
# Uses whichever of the clang versions are installed.
set -eu
cd "$(dirname "$0")/.."
bitcode=fuzz/corpus/bitcode
text=fuzz/corpus/text_ir
mkdir -p "$bitcode" "$text"

versions=""
for version in 14 16 19 22; do
    if command -v "clang-$version" >/dev/null; then versions="$versions $version"; fi
done
[ -n "$versions" ] || { echo "no clang-14, -16, -19 or -22 found" >&2; exit 1; }

# Small inputs mutate best, so the large sources are left out.
small() { find "$1" -maxdepth 1 -name '*.c' -printf '%s %p\n' | sort -n | head -n "$2" | cut -d' ' -f2; }
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
