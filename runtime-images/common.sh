# What lock, build and verify share. Sourced by bash.
# shellcheck shell=bash
images_dir=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
default_jdk=17

log() { printf 'runtime-images: %s\n' "$*" >&2; }
die() { log "$*"; exit 1; }

# Debian's name of an architecture, and the folder of its libraries.
debian_arch() {
    case $1 in
        linux/386) echo i386 ;;
        linux/amd64) echo amd64 ;;
        linux/arm64) echo arm64 ;;
        *) die "$1: not a platform that is known here (linux/386, linux/amd64, linux/arm64)" ;;
    esac
}

multiarch() {
    case $1 in
        i386) echo i386-linux-gnu ;;
        amd64) echo x86_64-linux-gnu ;;
        arm64) echo aarch64-linux-gnu ;;
    esac
}

# The path by which programs of an architecture name their loader.
loader() {
    case $1 in
        i386) echo lib/ld-linux.so.2 ;;
        amd64) echo lib64/ld-linux-x86-64.so.2 ;;
        arm64) echo lib/ld-linux-aarch64.so.1 ;;
    esac
}

# The Debian release that carries a JDK.
suite_of_jdk() {
    case $1 in
        17) echo bookworm ;;
        21 | 25) echo trixie ;;
        *) die "JDK $1: no Debian release is known here that carries it (17, 21, 25)" ;;
    esac
}

# Debian's archive, as this host is set up to reach it.
debian_archive() {
    local found
    found=$(cat /etc/apt/sources.list.d/debian.sources 2>/dev/null | awk '/^URIs:/ && !/security/ { print $2; exit }')
    [ -n "$found" ] || found=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
        awk '$1 == "deb" && !/security/ { for (i = 2; i <= NF; i++) if ($i ~ /^https?:/) { print $i; exit } }')
    [ -n "$found" ] || die "no Debian archive in /etc/apt: the packages of the lock file come from one"
    printf '%s\n' "${found%/}"
}

# Sets modules, budget_bytes, vm, flavour and options from the definition of image $1 for platform $2 (its first, if empty).
read_definition() {
    local file=$images_dir/images/$1.image key value rest
    [ -r "$file" ] || die "$1: no such image; there are $(cd "$images_dir/images" && echo *.image | sed 's/\.image//g')"
    image=$1 platform='' platforms=0
    while read -r key value rest; do
        case $key in
            modules) modules=$value ;;
            budget-bytes) budget_bytes=$value ;;
            platform)
                platforms=$((platforms + 1))
                if [ -z "$platform" ] && [ "${2:-$value}" = "$value" ]; then
                    platform=$value
                    read -r vm flavour options <<<"$rest"
                fi
                ;;
        esac
    done <"$file"
    [ -n "$platform" ] || die "$1 is not defined for ${2}"
    # an image of several platforms is named with its platform, as its profiles are
    profile_image=$image
    [ "$platforms" -eq 1 ] || profile_image=$image-${platform#linux/}
}

# The module names of list $1, sorted.
read_modules() {
    sed 's/#.*//; s/[[:space:]]*$//; /^$/d' "$images_dir/modules/$1" | LC_ALL=C sort
}
