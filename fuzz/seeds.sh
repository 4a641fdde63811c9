#!/bin/sh
# Makes the seed inputs of the fuzz targets from the sources in tests/.
#
# In: tests/c/run, tests/c/memory-leak (the smallest ones) and tests/ir. Out: fuzz/corpus/bitcode and
# fuzz/corpus/text_ir, which are not kept in git. Uses whichever of the clang versions are installed.
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
sources=$(ls -rS tests/c/run/*.c | head -n 25; ls -rS tests/c/memory-leak/*.c | head -n 35)
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
echo "$(ls "$bitcode" | wc -l) bitcode seeds, $(ls "$text" | wc -l) text seeds"
