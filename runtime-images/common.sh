# Functions of lock, build and verify: the definitions, the archive, and the locked packages. Sourced by bash.
# shellcheck shell=bash disable=SC2034
images_dir=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
repository=${images_dir%/*}
default_jdk=17
# Images of newer ones are built to compare with only, and need not keep to the budget.
newest_jdk=21
# Date of every file of an image: the archive of classes holds the times of the jars and of the modules.
image_time=@1577836800

# The packages whose libraries an image has in addition to its JVM. A VM of ours has the C++ runtime and libgcc linked in. The C library loads
# libgcc_s when a thread is cancelled or exits by pthread_exit, which nothing in an image does: verify checks that.
library_packages='libc6 libgcc-s1 libstdc++6 zlib1g'
libraries_of_vm() {
    case $1 in
        debian) echo "$library_packages" ;;
        *) echo 'libc6 zlib1g' ;;
    esac
}

log() { printf 'runtime-images: %s\n' "$*" >&2; }
die() { log "$*"; exit 1; }

host_platform() {
    case $(dpkg --print-architecture) in
        i386) echo linux/386 ;;
        *) echo linux/amd64 ;;
    esac
}

# Debian's name of an architecture, and the folder of its libraries.
debian_arch() {
    case $1 in
        linux/386) echo i386 ;;
        linux/amd64) echo amd64 ;;
        *) die "$1: not a platform that is known here (linux/386, linux/amd64)" ;;
    esac
}

multiarch() {
    case $1 in
        i386) echo i386-linux-gnu ;;
        amd64) echo x86_64-linux-gnu ;;
    esac
}

# The path by which programs of an architecture name their loader.
loader() {
    case $1 in
        i386) echo lib/ld-linux.so.2 ;;
        amd64) echo lib64/ld-linux-x86-64.so.2 ;;
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

# Debian's archive, and that of its security updates, as this host is set up to reach them.
debian_archive() {
    local found
    found=$(awk '/^URIs:/ && !/security/ { print $2; exit }' /etc/apt/sources.list.d/debian.sources 2>/dev/null || true)
    [ -n "$found" ] || found=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
        awk '$1 == "deb" && !/security/ { for (i = 2; i <= NF; i++) if ($i ~ /^https?:/) { print $i; exit } }')
    [ -n "$found" ] || die "no Debian archive in /etc/apt: the packages of the lock file come from one"
    printf '%s\n' "${found%/}"
}

security_archive() {
    local found
    found=$(cat /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
        awk '/^URIs:.*debian-security/ { print $2; exit }
             $1 == "deb" && /debian-security/ { for (i = 2; i <= NF; i++) if ($i ~ /^https?:/) { print $i; exit } }')
    # a mirror has the one next to the other
    [ -n "$found" ] || found=$(debian_archive)-security
    printf '%s\n' "${found%/}"
}

image_names() { (cd "$images_dir/images" && printf '%s ' *.image | sed 's/\.image//g; s/ $//'); }

# Sets image, platform, modules, budget_bytes, vm, hotspot, flavour, options, engine, profile_image and vm_suffix. They come from the definition of image
# $1 for platform $2 (its first, if empty), with VM $3 (that of the definition, if empty; "debian" is Debian's own), JDK $jdk, TLS by $tls and engine $engine. An
# image of several platforms is named with its platform, as its profiles are, and may be asked for so; one with another VM or engine is named with that.
read_definition() {
    local key value rest vm_name platforms=0 debian_options='' debian_budget_bytes='' own_budget_bytes='' openssl_budget_bytes='' finagle_budget_bytes='' jfr_budget_bytes='' suffix=''
    case $1 in
        *-finagle)
            engine=finagle
            set -- "${1%-finagle}" "${2:-}" "${3:-}"
            ;;
    esac
    for vm_name in debian $(vm_names); do
        case $1 in
            *-"$vm_name")
                [ -r "$images_dir/images/$1.image" ] || set -- "${1%-"$vm_name"}" "${2:-}" "$vm_name"
                break
                ;;
        esac
    done
    image=$1 platform='' wanted=${2:-}
    case $1 in
        *-386) [ -r "$images_dir/images/$1.image" ] || image=${1%-386} wanted=linux/386 ;;
        *-amd64) [ -r "$images_dir/images/$1.image" ] || image=${1%-amd64} wanted=linux/amd64 ;;
    esac
    [ -r "$images_dir/images/$image.image" ] || die "$1: no such image; there are $(image_names)"
    while read -r key value rest; do
        case $key in
            modules) modules=$value ;;
            budget-bytes) budget_bytes=$value ;;
            "budget-bytes-${jdk:-$default_jdk}") own_budget_bytes=$value ;;
            hotspot) hotspot=$value ;;
            openssl-budget-bytes) openssl_budget_bytes=$value ;;
            finagle-budget-bytes) finagle_budget_bytes=$value ;;
            jfr-budget-bytes) jfr_budget_bytes=$value ;;
            debian-budget-bytes) debian_budget_bytes=$value ;;
            debian-options) debian_options="$value${rest:+ $rest}" ;;
            platform)
                platforms=$((platforms + 1))
                if [ -z "$platform" ] && [ "${wanted:-$value}" = "$value" ]; then
                    platform=$value
                    read -r vm flavour options <<<"$rest"
                fi
                ;;
        esac
    done <"$images_dir/images/$image.image"
    [ -n "$platform" ] || die "$image is not defined for $wanted"
    budget_bytes=${own_budget_bytes:-$budget_bytes}
    if [ "${tls:-}" = openssl ]; then
        [ -z "${own_budget_bytes:-}" ] || die "$image has no size to be held to with OpenSSL and JDK $jdk"
        budget_bytes=$openssl_budget_bytes
    fi
    vm_suffix=''
    if [ -n "${3:-}" ] && [ "$3" != "$hotspot" ]; then
        hotspot=$3 suffix=-$3
        # what is only measured has no profiles of its own
        [ "$3" = debian ] || { vm_suffix=$suffix && suffix=''; }
    fi
    if [ "$hotspot" = debian ]; then
        options="$options${debian_options:+ $debian_options}" budget_bytes=$debian_budget_bytes
    elif [ ! -r "$images_dir/vms/$hotspot.vm" ]; then
        die "$hotspot: no such VM; there are $(vm_names) debian"
    elif [ "$hotspot" = jfr ]; then
        read_recorder
    fi
    profile_image=$image
    [ "$platforms" -eq 1 ] || profile_image=$image-${platform#linux/}
    profile_image=$profile_image$suffix
    [ -z "${engine:-}" ] || read_engine
}

# Adapts the definition to $engine instead of the default one; the property names the engine if neither the file nor the command line does.
read_engine() {
    [ -n "$finagle_budget_bytes" ] || die "$image is not built with the engine $engine"
    if [ "$hotspot" = debian ] || [ "${tls:-}" = openssl ]; then
        die "$image with the engine $engine has the VM and the TLS of its definition only"
    fi
    budget_bytes=$finagle_budget_bytes
    options="$options -Dremora.engine=$engine"
    profile_image=$profile_image-$engine
}

# Adapts the definition to the VM with the flight recorder, which keeps its data in the directory for temporary files. A container has no
# writable /tmp. An option of the recorder would name the directory as well, but has it load a part of its classes at the start.
read_recorder() {
    [ -n "$jfr_budget_bytes" ] || die "$image is not built with the flight recorder"
    [ -z "${engine:-}" ] && [ "${tls:-awslc}" = awslc ] || die "$image with the flight recorder has the engine and the TLS of its definition only"
    budget_bytes=$jfr_budget_bytes
    options="$options -Dremora.recorder=true -Djava.io.tmpdir=/dev/shm"
}

# The packages of the proxy that the image leaves out.
left_out() { [ "$hotspot" = jfr ] || echo io/remora/recorder/; }

# Arguments of java that start the sidecar of the image in folder $1, after its options. The archive of classes is for this class path.
start_words() {
    if [ -n "${engine:-}" ]; then
        printf '%s\n' -cp "$1/lib/remora/remora.jar:$1/lib/remora/$engine/remora-$engine.jar" io.remora.Main
    else
        printf '%s\n' -jar "$1/lib/remora/remora.jar"
    fi
}

# The modules of the image, one a line: those of its list, and the further ones of its engine and of the flight recorder.
image_modules() {
    {
        read_list "$images_dir/modules/$modules"
        [ -z "${engine:-}" ] || read_list "$images_dir/modules/$engine"
        [ "$hotspot" != jfr ] || read_list "$images_dir/modules/jfr"
    } | LC_ALL=C sort
}

vm_names() { (cd "$images_dir/vms" && printf '%s ' *.vm | sed 's/\.vm//g; s/ $//'); }

# The patches for the source of JDK $1, one a line: those for every JDK, those from an earlier JDK on, or from this one, and those for it alone.
vm_patches() {
    local folder first
    printf '%s\n' "$images_dir"/vms/patches/*.patch
    for folder in "$images_dir"/vms/patches/from-*; do
        first=${folder##*-}
        [ "$1" -lt "$first" ] || printf '%s\n' "$folder"/*.patch
    done
    [ ! -d "$images_dir/vms/patches/only-$1" ] || printf '%s\n' "$images_dir/vms/patches/only-$1"/*.patch
}

# Where build-vm puts the VM $1 of JDK $2 for architecture $3.
vm_directory() { printf '%s\n' "${VM_DIRECTORY:-$images_dir/target/vms}/$1-$2-$3"; }

# Where build-native puts the libraries for architecture $1, with that for the TLS library $2.
native_directory() {
    local suffix=
    [ "${2:-}" != awslc ] || suffix=-awslc
    printf '%s\n' "${VM_DIRECTORY:-$images_dir/target/vms}/native-$1$suffix"
}

# The sources of the binding to TLS library $1, one a line: those that both libraries share, and those that this one needs.
tls_sources() { (shopt -s nullglob && LC_ALL=C printf '%s\n' "$repository"/proxy/native/tls/*.[ch] "$repository/proxy/native/tls/$1"/*.[ch]); }

# The resources that the image leaves out of its modules. The flight recorder rewrites the classes of events, and needs what does that.
excluded_resources() {
    read_list "$images_dir/modules/excluded"
    [ "$hotspot" = jfr ] || read_list "$images_dir/modules/excluded-bytecode"
}

# The lines of data file $1 without comments, sorted.
read_list() {
    sed 's/#.*//; s/[[:space:]]*$//; /^$/d' "$1" | LC_ALL=C sort
}

# Sets arch, lock, cache, packages (where they are unpacked) and jdk_home for platform $1, JDK $2 and VM $3: the modules for a VM of ours
# are of the version of its source, those for Debian's VM the newest.
find_packages() {
    local kind=
    [ "${3:-}" != debian ] || kind=.debian
    arch=$(debian_arch "$1")
    lock=$images_dir/locks/$2-$arch$kind.lock
    [ -r "$lock" ] || die "$lock: no such file; runtime-images/lock $2 writes it, if Debian has this JDK for $arch"
    cache=${IMAGE_CACHE:-$images_dir/target/cache}
    packages=$images_dir/target/work/$2-$arch$kind
    jdk_home=$packages/usr/lib/jvm/java-$2-openjdk-$arch
}

# Sets openssl_lock and openssl (where its packages are unpacked) for architecture $1. It is the same for every JDK.
find_openssl() {
    openssl_lock=$images_dir/locks/openssl-$1.lock
    openssl=$images_dir/target/work/openssl-$1
    cache=${IMAGE_CACHE:-$images_dir/target/cache}
}

# Sets awslc_lock and awslc (where build-awslc puts it) for architecture $1.
find_awslc() {
    awslc_lock=$images_dir/locks/awslc.lock
    awslc=${VM_DIRECTORY:-$images_dir/target/vms}/awslc-$1
    cache=${IMAGE_CACHE:-$images_dir/target/cache}
}

# The version of the locked crate of AWS-LC, and the version of AWS-LC itself by its headers $1.
awslc_crate() { awk '$1 == "aws-lc-sys" { print $2 }' "$images_dir/locks/awslc.lock"; }
awslc_version_of() { sed -n 's/^#define AWSLC_VERSION_NUMBER_STRING "\(.*\)"/\1/p' "$1/openssl/base.h"; }

# The version of the locked OpenSSL for architecture $1.
openssl_version() { awk '$1 == "libssl3" { print $2 }' "$images_dir/locks/openssl-$1.lock"; }

# Vulnerabilities that have been fixed in library $1 (openssl, awslc) since version $2, as far as the locks know, one name a line.
advisories_since() {
    local version advisories advisory
    sed '/^#/d' "$images_dir/locks/$1.advisories" | while read -r version advisories; do
        ! dpkg --compare-versions "$version" le "$2" || continue
        for advisory in $advisories; do printf '%s\n' "$advisory"; done
    done | LC_ALL=C sort -uV
}

# The file of the cache for the input with checksum $1 and path $2.
cached() { printf '%s\n' "$cache/$1.${2##*.}"; }

# Every file of lock file $1, into the cache.
fetch() {
    local package version sum path archive file
    mkdir -p "$cache"
    grep -v '^#' "$1" | while read -r package version sum path; do
        file=$(cached "$sum" "$path")
        [ ! -f "$file" ] || continue
        log "fetching $package $version"
        case $path in
            pool/updates/*) archive=$(security_archive) ;;
            *) archive=$(debian_archive) ;;
        esac
        rm -f "$cache/$sum.part"
        /usr/lib/apt/apt-helper -q -o APT::Sandbox::User=root download-file "$archive/$path" "$cache/$sum.part" "SHA256:$sum" >/dev/null ||
            die "$package $version is not in the archive any more, or not what the lock file says: runtime-images/lock writes a new one"
        mv "$cache/$sum.part" "$file"
    done
}

# Every crate of lock file $1, into the cache: from target/vms/crates, where scripts/image puts what the host has, or by cargo, which knows the
# registry or its mirror.
fetch_crates() {
    local name version sum file found
    mkdir -p "$cache"
    grep -v '^#' "$1" | while read -r name version sum file; do
        [ ! -f "$(cached "$sum" "$file")" ] || continue
        found=$(downloaded_crate "$file")
        if [ -z "$found" ]; then
            log "fetching $name $version"
            require cargo cargo-web
            cargo_fetch "$name" "$version"
            found=$(downloaded_crate "$file")
        fi
        [ -n "$found" ] || die "cargo left no $file: its sources are replaced by a folder; put the file there: $images_dir/target/vms/crates"
        install -m 644 "$found" "$cache/$sum.part"
        echo "$sum  $cache/$sum.part" | sha256sum --check --quiet || die "$name $version is not what the lock file says: runtime-images/lock awslc writes a new one"
        mv "$cache/$sum.part" "$(cached "$sum" "$file")"
    done
}

downloaded_crate() {
    find "${VM_DIRECTORY:-$images_dir/target/vms}/crates" "${CARGO_HOME:-$HOME/.cargo}/registry/cache" -name "$1" -print -quit 2>/dev/null || true
}

# Has cargo download crate $1 of version $2 for a program that needs it.
cargo_fetch() {
    local folder
    folder=$(mktemp -d)
    printf '%s\n' '[package]' 'name = "fetched"' 'version = "0.0.0"' 'edition = "2018"' '[lib]' 'path = "lib.rs"' '[dependencies]' "$1 = \"=$2\"" >"$folder/Cargo.toml"
    : >"$folder/lib.rs"
    (cd "$folder" && cargo fetch --quiet </dev/null >&2) || die "cargo cannot fetch $1 $2"
    rm -rf "$folder"
}

# Installs Debian's package $2 for program $1, if it is missing and this is root; or says what is missing.
require() {
    ! command -v "$1" >/dev/null || return 0
    [ "$(id -u)" -eq 0 ] || die "$1 is missing: apt-get install $2"
    log "installing $2"
    # a caller may be reading lines from its standard input
    apt-get -qq update </dev/null || log "not every list could be had; going on with those that could"
    DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "$2" >&2 </dev/null
}

# Fails if a file of lock file $1 in the cache is not what its name says.
check_cached() {
    local sum path file
    grep -v '^#' "$1" | while read -r _ _ sum path; do
        file=$(cached "$sum" "$path")
        echo "$sum  $file" | sha256sum --check --quiet || die "$file is not what its name says: remove it"
    done
}

# Unpacks the packages of lock file $1 below folder $2, whose absolute links then lead back into it. Does nothing if they are there.
unpack() {
    local sum path link folder
    ! cmp -s "$1" "$2/lock" || return 0
    fetch "$1"
    check_cached "$1"
    log "unpacking ${2##*/}"
    rm -rf "$2"
    mkdir -p "$2"
    grep -v '^#' "$1" | while read -r _ _ sum path; do
        dpkg-deb -x "$(cached "$sum" "$path")" "$2"
    done
    find "$2" -type l -lname '/*' | while read -r link; do
        ln -sfn "$2$(readlink "$link")" "$link"
    done
    # trixie's packages have what bookworm's have in /lib in /usr/lib only
    for folder in lib lib64; do
        [ -e "$2/$folder" ] || [ ! -e "$2/usr/$folder" ] || ln -s "usr/$folder" "$2/$folder"
    done
    cp "$1" "$2/lock"
}

# The packages of the JDK, and the tools of the build, compiled.
unpack_packages() {
    unpack "$lock" "$packages"
    if [ -n "$(find "$images_dir/tools" -newer "$packages/tools/compiled" 2>&1)" ]; then
        unpacked javac -d "$packages/tools" "$images_dir"/tools/*.java
        touch "$packages/tools/compiled"
    fi
}

# The folders of the libraries for architecture $2 in the packages that are unpacked below $1.
library_path() {
    local library
    library=$(multiarch "$2")
    printf '%s\n' "$1/lib/$library:$1/usr/lib/$library"
}

# Puts a shell script at $1 that runs program $4 by loader $2 with its own libraries in $3 instead of those of the host. It runs as a shell reads it: $2 to $4 may name the shell's variables, and $5 is put before the script's own arguments. The lines
# on standard input come first.
loader_script() {
    {
        echo '#!/bin/sh'
        cat
        printf 'exec "%s" --library-path "%s" "%s"%s "$@"\n' "$2" "$3" "$4" "${5:+ $5}"
    } >"$1"
    chmod 755 "$1"
}

# Runs a program of the unpacked JDK with the loader and libraries that came with it: the host needs none of its architecture.
unpacked() {
    local program=$1
    shift
    "$packages/$(loader "$arch")" --library-path "$(library_path "$packages" "$arch")" "$jdk_home/bin/$program" "$@"
}

# An authority in the directory $1, and of it a certificate for localhost, which serves on either side; tls.p12 is for the training.
make_certificates() {
    local request=(req -x509 -config "$1/request.cnf" -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30)
    mkdir -p "$1"
    # without additions by the host's own configuration
    printf '%s\n' '[req]' 'distinguished_name = name' '[name]' >"$1/request.cnf"
    {
        openssl "${request[@]}" -keyout "$1/ca.key" -out "$1/ca.crt" -subj '/CN=authority' \
            -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign,cRLSign &&
            openssl "${request[@]}" -keyout "$1/tls.key" -out "$1/tls.crt" -subj /CN=localhost -CA "$1/ca.crt" -CAkey "$1/ca.key" \
                -addext basicConstraints=critical,CA:FALSE -addext subjectAltName=DNS:localhost &&
            openssl pkcs12 -export -in "$1/tls.crt" -inkey "$1/tls.key" -out "$1/tls.p12" -passout pass:training
    } 2>"$1/log" || die "no certificates: $(tail -n 1 "$1/log")"
}

# Runs one of the tools. They start programs without the JDK's helper, which needs a loader in the host's own place.
tool() {
    unpacked java -Xshare:auto -XX:TieredStopAtLevel=1 -Djdk.lang.Process.launchMechanism=VFORK -cp "$packages/tools" "$@"
}
