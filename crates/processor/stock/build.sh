#!/bin/sh
# Rebuilds library.elf, which is committed; needs gcc-arm-none-eabi. With --check, compares what it
# gives with what is committed, if the compiler is of the version that made it. The address is one
# where programs seldom lie.
set -eu
cd "$(dirname "$0")"
version="12.2.1"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
flags="-marm -mcpu=cortex-a15 -mfpu=vfpv4 -mfloat-abi=softfp -ffreestanding -O2 -ffp-contract=off
    -fno-builtin -fno-tree-loop-distribute-patterns -fno-jump-tables -fno-stack-protector
    -fno-unwind-tables -fno-asynchronous-unwind-tables -ffunction-sections -fdata-sections"
if [ "${1:-}" = --check ] && [ "$(arm-none-eabi-gcc -dumpfullversion)" != "$version" ]; then
    echo "stock/library.elf was made by arm-none-eabi-gcc $version: not compared"
    exit 0
fi
arm-none-eabi-gcc $flags -isystem ../../compiler/runtime/include -c library.c -o "$folder/library.o"
wanted="$(sed '/^#/d; s/^[a-z]* //; s/[^ ][^ ]*/-Wl,-u,&/g' names.txt)"
arm-none-eabi-gcc $flags -nostdlib -Wl,--gc-sections,--build-id=none,-e,0 $wanted \
    -Wl,-Ttext=0xd0000000 "$folder/library.o" -o "$folder/library.elf"
arm-none-eabi-strip --strip-debug --remove-section=.comment --remove-section=.ARM.attributes \
    "$folder/library.elf"
case "${1:-}" in
    --check) cmp "$folder/library.elf" library.elf ;;
    "") cp "$folder/library.elf" library.elf && chmod 644 library.elf ;;
    *) echo "usage: build.sh [--check]" >&2; exit 2 ;;
esac
