# The locked compiler of build-vm and build-native. Sourced by bash, after common.sh.
# shellcheck shell=bash disable=SC2034
work=$images_dir/target/work

# The locked compiler. A script runs each of its programs with the loader and libraries that came with it, so that neither the host's compiler nor its C
# library matters. The compiler finds the programs it starts itself in tools. Those of i686-linux-gnu are the same
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
                wrap "$toolchain/${name%-12}" "$program" "--sysroot=$root -B$toolchain/tools/"
                wrap "$toolchain/i686-linux-gnu-${name%-12}" "$program" "--sysroot=$root -B$toolchain/tools/ -m32"
                ;;
            as | c++filt | ld | ar | nm | objcopy | objdump | ranlib | readelf | strip)
                wrap "$toolchain/$name" "$program"
                cp "$toolchain/$name" "$toolchain/i686-linux-gnu-$name"
                ;;
        esac
    done
    for name in cc1 cc1plus collect2; do
        wrap "$toolchain/tools/$name" "$root/usr/lib/gcc/$triple/12/$name"
    done
    cp "$toolchain"/{as,ld,nm,strip} "$toolchain/tools/"
    touch "$toolchain/made"
}

# Puts a script at $1 that runs program $2 of the toolchain with the arguments $3 before its own.
wrap() {
    loader_script "$1" "$work/toolchain/$(loader amd64)" "$(library_path "$work/toolchain" amd64)" "$2" "${3:-}" </dev/null
}
