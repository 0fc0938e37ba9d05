# shellcheck shell=sh
# Which profile an image offers for a rate, and whether the memory at hand holds it. Sourced by select and by the launcher, which
# first set profiles_dir (this directory) and define refuse STATUS MESSAGE. Results are variables: a start forks nothing for them.
# REMORA_SYSTEM_ROOT stands before /proc and /sys, for the tests.
# shellcheck disable=SC2034,SC2154

# Exit statuses, after sysexits: the command line names what there is not; what it asks for does not fit here.
usage_status=64
unfit_status=78

default_rps=1000

# number: $2 as decimal digits without leading zeros, of which more than nine count as 999999999. $1 says what it is.
read_number() {
    case $2 in
        '' | *[!0-9]*) refuse "$usage_status" "$1 $2: a whole number above 0 is needed" ;;
    esac
    number=${2#"${2%%[!0]*}"}
    [ -n "$number" ] || refuse "$usage_status" "$1 $2: a whole number above 0 is needed"
    [ "${#number}" -le 9 ] || number=999999999
}

# bytes: the size $2 (67108864, 64m, 64MiB, 64Mi). $1 says whose it is.
read_size() {
    digits=${2%%[!0-9]*}
    case ${2#"$digits"} in
        '') unit=1 ;;
        [kK] | [kK]i | [kK]iB) unit=1024 ;;
        [mM] | [mM]i | [mM]iB) unit=1048576 ;;
        [gG] | [gG]i | [gG]iB) unit=1073741824 ;;
        *) digits= ;;
    esac
    case $digits in
        '' | 0* | ??????????????*) refuse "$usage_status" "$1 $2: a size such as 64m is needed" ;;
    esac
    # a product that does not fit comes out as another number
    bytes=$((digits * unit))
    [ $((bytes / unit)) -eq "$digits" ] || refuse "$usage_status" "$1 $2: a size such as 64m is needed"
}

# flavour: of image $1. Another JDK's image has the flavour of the default one.
find_flavour() {
    flavour=
    known_images=
    while read -r name its_flavour _; do
        case $name in
            '' | '#'*) continue ;;
            "${1%-jdk[0-9]*}") flavour=$its_flavour ;;
        esac
        known_images=${known_images:+$known_images, }$name
    done <"$profiles_dir/images"
    [ -n "$flavour" ] || refuse "$usage_status" "no image $1; there are $known_images"
}

# rows_image: whose rows of peaks are image $1's: its own, or the default JDK's while it has none.
find_rows() {
    rows_image=${1%-jdk[0-9]*}
    while read -r name _; do
        [ "$name" != "$1" ] || rows_image=$1
    done <"$profiles_dir/peaks"
}

# profile, profile_rps, peak_bytes: the smallest that image $1 offers for $2 requests a second.
pick_profile() {
    find_rows "$1"
    profile=
    largest=0
    larger_image=
    larger_rps=0
    while read -r name its_profile its_rps its_peak _; do
        case $name in
            '' | '#'*) continue ;;
            "$rows_image")
                [ "$its_rps" -le "$largest" ] || largest=$its_rps
                if [ "$its_rps" -ge "$2" ] && { [ -z "$profile" ] || [ "$its_rps" -lt "$profile_rps" ]; }; then
                    profile=$its_profile profile_rps=$its_rps peak_bytes=$its_peak
                fi
                ;;
            *)
                if [ "$its_rps" -ge "$2" ] && { [ "$larger_rps" -eq 0 ] || [ "$its_rps" -lt "$larger_rps" ]; }; then
                    larger_image=$name larger_rps=$its_rps
                fi
                ;;
        esac
    done <"$profiles_dir/peaks"
    [ -z "$profile" ] || return 0
    [ "$largest" -gt 0 ] || refuse "$usage_status" "image $1 has no profile that was measured"
    more="no image has more"
    [ -z "$larger_image" ] || more="$larger_image has a profile for $larger_rps"
    refuse "$usage_status" "$2 requests a second are more than image $1 has a profile for ($largest at most); $more"
}

# profile_rps, peak_bytes: of profile $2 as image $1 offers it; peak_bytes is empty where it does not.
name_profile() {
    profile=$2
    profile_rps=${2#rps-}
    case $profile_rps in
        "$2" | *[!0-9]*) profile_rps= ;;
    esac
    if [ -z "$profile_rps" ] || [ ! -f "$profiles_dir/$2" ]; then
        refuse "$usage_status" "no profile $2"
    fi
    find_rows "$1"
    peak_bytes=
    while read -r name its_profile _ its_peak _; do
        if [ "$name" = "$rows_image" ] && [ "$its_profile" = "$2" ]; then
            peak_bytes=$its_peak
        fi
    done <"$profiles_dir/peaks"
}

# parts: the files that make up profile $2 of image $1, whose flavour is known.
find_parts() {
    parts=
    for name in common "common.$flavour" "common.$1" "$2" "$2.$flavour"; do
        [ ! -f "$profiles_dir/$name" ] || parts="${parts:+$parts }$name"
    done
}

# limit_bytes becomes what file $1 says where that is less.
lower_limit() {
    [ -r "$1" ] || return 0
    read -r value <"$1" || [ -n "$value" ] || return 0
    # "max", and the number near 2^63 by which version 1 says the same
    case $value in
        '' | *[!0-9]* | ???????????????????*) return 0 ;;
    esac
    if [ -z "$limit_bytes" ] || [ "$value" -lt "$limit_bytes" ]; then
        limit_bytes=$value
        limit_from=$1
    fi
}

# limit_bytes, limit_from: the least of size $1 (may be empty) and of the limits of this process's cgroups, their parents' among
# them. In a container the path may be the host's, but the mount's own root is always the container's.
find_limit() {
    limit_bytes=
    limit_from=
    if [ -n "$1" ]; then
        read_size --memory "$1"
        limit_bytes=$bytes
        limit_from=--memory
    fi
    root=${REMORA_SYSTEM_ROOT:-}
    [ -r "$root/proc/self/cgroup" ] || return 0
    while IFS=: read -r _ controllers path; do
        case ,$controllers, in
            ,,) mount=$root/sys/fs/cgroup file=memory.max ;;
            *,memory,*) mount=$root/sys/fs/cgroup/memory file=memory.limit_in_bytes ;;
            *) continue ;;
        esac
        path=${path%/}
        while :; do
            lower_limit "$mount$path/$file"
            [ -n "$path" ] || break
            path=${path%/*}
        done
    done <"$root/proc/self/cgroup"
}

# Ends where the limit is below the measured peak and a tenth.
require_memory() {
    needed_bytes=$((peak_bytes + peak_bytes / 10))
    if [ -n "$limit_bytes" ] && [ "$limit_bytes" -lt "$needed_bytes" ]; then
        refuse "$unfit_status" "$profile on image $1 needs $needed_bytes bytes (measured peak and 10 %); $limit_from allows $limit_bytes"
    fi
}

# min_heap, max_heap: -Xms and -Xmx of the profile's parts.
find_heap() {
    min_heap=
    max_heap=
    for name in $parts; do
        while read -r flag _; do
            case $flag in
                -Xms*) min_heap=${flag#-Xms} ;;
                -Xmx*) max_heap=${flag#-Xmx} ;;
            esac
        done <"$profiles_dir/$name"
    done
}

# heap_options: what JVM_HEAP_MIN and JVM_HEAP_MAX put in the place of the profile's heap, and a property that tells the log so; empty
# without them. Where one is given and the profile's other end would be on its wrong side, that end moves along.
find_heap_override() {
    heap_options=
    [ -n "${JVM_HEAP_MIN:-}${JVM_HEAP_MAX:-}" ] || return 0
    find_heap
    min_bytes=0
    if [ -n "${JVM_HEAP_MIN:-$min_heap}" ]; then
        read_size JVM_HEAP_MIN "${JVM_HEAP_MIN:-$min_heap}"
        min_bytes=$bytes
    fi
    if [ -n "${JVM_HEAP_MAX:-$max_heap}" ]; then
        read_size JVM_HEAP_MAX "${JVM_HEAP_MAX:-$max_heap}"
    fi
    if [ "$min_bytes" -gt "$bytes" ]; then
        if [ -z "${JVM_HEAP_MAX:-}" ]; then
            bytes=$min_bytes
        elif [ -z "${JVM_HEAP_MIN:-}" ]; then
            min_bytes=$bytes
        else
            refuse "$usage_status" "JVM_HEAP_MIN=$JVM_HEAP_MIN is above JVM_HEAP_MAX=$JVM_HEAP_MAX"
        fi
    fi
    [ "$min_bytes" -eq 0 ] || heap_options=-Xms$min_bytes
    [ -z "${JVM_HEAP_MAX:-$max_heap}" ] || heap_options="$heap_options -Xmx$bytes"
    override=${JVM_HEAP_MIN:+JVM_HEAP_MIN=$JVM_HEAP_MIN}
    [ -z "${JVM_HEAP_MAX:-}" ] || override=${override:+$override,}JVM_HEAP_MAX=$JVM_HEAP_MAX
    heap_options="$heap_options -Dremora.heap.override=$override"
}
