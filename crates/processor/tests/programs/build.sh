#!/bin/sh
# Rebuilds the fixtures; needs gcc-arm-none-eabi. The .elf files are committed so that tests do not.
set -eu
cd "$(dirname "$0")"
flags="-marm -march=armv7ve -mfloat-abi=soft -ffreestanding -fno-jump-tables -fno-builtin -nostdlib -O2 -g"
for source in types salaries narrow calls refused tables astray clear long frames; do
    arm-none-eabi-gcc $flags -fdebug-prefix-map="$PWD"=. -e main "$source.c" -o "$source.elf" -lgcc
done
arm-none-eabi-gcc $flags -fdebug-prefix-map="$PWD"=. -e main shapes.c twins.c -o shapes.elf -lgcc
arm-none-eabi-gcc $flags -fdebug-prefix-map="$PWD"=. -e main crowded.c -o crowded.elf -lgcc
# Floating-point registers.
arm-none-eabi-gcc $flags -march=armv7ve+vfpv4 -mfloat-abi=hard -fdebug-prefix-map="$PWD"=. -e main floats.c -o floats.elf -lgcc
arm-none-eabi-gcc $flags -march=armv7ve+vfpv4 -mfloat-abi=hard -fdebug-prefix-map="$PWD"=. -Wl,-N -e main late.c -o late.elf -lgcc
# Start-up code, thread-local variables, a heap behind `end`.
arm-none-eabi-gcc $flags -mtp=cp15 -fdebug-prefix-map="$PWD"=. startup.c -o startup.elf
# As they stand, branches stay branches; code is writable.
arm-none-eabi-gcc $flags -fno-if-conversion -fno-if-conversion2 -fno-ssa-phiopt -fdebug-prefix-map="$PWD"=. \
    -Wl,-N -e main branches.c -o branches.elf -lgcc
arm-none-eabi-gcc -mthumb -march=armv7ve -ffreestanding -nostdlib -O2 -e main salaries.c -o thumb.elf
arm-none-eabi-gcc $flags -fdebug-prefix-map="$PWD"=. -c salaries.c -o unlinked.o
# With the libraries that come with the compiler: of ARMv7, Thumb code; of ARMv4, A32 code, which is
# known by the names of its sources.
stock="-marm -O1 -fno-builtin-memcmp -ffp-contract=off --specs=nosys.specs -w"
arm-none-eabi-gcc $stock -march=armv7ve -mfloat-abi=soft -Wl,--strip-debug stock.c -o stock.elf
arm-none-eabi-gcc $stock stock.c -o stock_a32.elf
# Small variables that clang merges into one object: with their symbols, with debugging information
# alone, with neither.
clang --target=arm-none-eabi -marm -march=armv7ve -mfloat-abi=soft -ffreestanding -fno-jump-tables \
    -fno-builtin -nostdlib -O3 -g -fdebug-prefix-map="$PWD"=. -fuse-ld=lld -Wl,-e,main merged.c -o merged.elf
arm-none-eabi-objcopy -N first -N second -N flags merged.elf hidden.elf
arm-none-eabi-objcopy -g -N first -N second -N flags -N point.0 -N point.1 -N a -N b -N result \
    merged.elf nameless.elf
