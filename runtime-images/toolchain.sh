# What build-vm and build-native share: the locked compiler. Sourced by bash, after common.sh.
# shellcheck shell=bash disable=SC2034
work=$images_dir/target/work

# The locked compiler, each of its programs behind a script that takes the loader and libraries that came with it, so that neither the
# host's compiler nor its C library matters. The compiler finds the programs it starts itself in tools. Those of i686-linux-gnu are the same
# ones, for 32 bits.
make_toolchain() {
    local root=$work/toolchain triple=x86_64-linux-gnu program name
    toolchain=$work/toolchain-bin
    unpack "$images_dir/locks/toolchain.lock" "$root"
    [ ! "$toolchain/made" -nt "$root/lock" ] || return 0
    rm -rf "$toolchain"
    mkdir -p "$toolchain/tools"
    # a link that Debian has in a package of its own, for 32 bits
    ln -sfn "$triple/asm" "$root/usr/include/asm"
    for program in "$root"/usr/bin/$triple-*; do
        name=${program##*/$triple-}
        case $name in
            gcc-12 | g++-12 | cpp-12)
                wrap "$program" "--sysroot=$root -B$toolchain/tools/" >"$toolchain/${name%-12}"
                wrap "$program" "--sysroot=$root -B$toolchain/tools/ -m32" >"$toolchain/i686-linux-gnu-${name%-12}"
                ;;
            as | c++filt | ld | ar | nm | objcopy | objdump | ranlib | readelf | strip)
                wrap "$program" '' >"$toolchain/$name"
                cp "$toolchain/$name" "$toolchain/i686-linux-gnu-$name"
                ;;
        esac
    done
    for name in cc1 cc1plus collect2; do
        wrap "$root/usr/lib/gcc/$triple/12/$name" '' >"$toolchain/tools/$name"
    done
    cp "$toolchain"/{as,ld,nm,strip} "$toolchain/tools/"
    chmod 755 "$toolchain"/* "$toolchain"/tools/*
    touch "$toolchain/made"
}

# A script that runs program $1 of the toolchain with the arguments $2 before its own.
wrap() {
    printf '#!/bin/sh\nexec "%s" --library-path "%s:%s" --argv0 "%s" "%s" %s "$@"\n' "$work/toolchain/$(loader amd64)" \
        "$work/toolchain/lib/$(multiarch amd64)" "$work/toolchain/usr/lib/$(multiarch amd64)" "$1" "$1" "$2"
}
