# shellcheck shell=sh
# Finds the row of the table that flatten made, and judges the memory at hand and the heap's overrides. Sourced by select and by the
# launcher, which first set profiles_dir (this directory) and define refuse STATUS MESSAGE. Results are variables: a start forks
# nothing for them. The containers' launcher does the same in runtime-images/launcher/selection.c.
# REMORA_SYSTEM_ROOT stands before /proc and /sys, for the tests.
# shellcheck disable=SC2034,SC2154

# Exit statuses, after sysexits; docs/command-line.md has these comments.
# `--rps` is not a number or exceeds the largest profile of the image, or a heap size is malformed. If another image has a larger profile, the message names that image.
usage_status=64
# The jar, the table or Java is missing, or Java is older than 17.
unavailable_status=69
# The memory limit is lower than the profile needs.
unfit_status=78

default_rps=1000

# A command that asks a running sidecar is a JVM next to it: its peak, which the limit must have room for.
command_bytes=33554432

# For buffers: what a limit does not go below, and the bound of all profiles, which a limit does not raise.
least_direct=4194304
most_direct=67108864

# In such steps the serial collector's heap grows: the JVM rounds another -Xmx up, and would take what is the buffers'.
heap_step=2097152

# number: $2 as decimal digits without leading zeros, of which more than nine count as 999999999. $1 says what it is.
read_number() {
    number=${2#"${2%%[!0]*}"}
    case $number in
        '' | *[!0-9]*) refuse "$usage_status" "$1 $2: a whole number above 0 is needed" ;;
    esac
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

# The columns of the first row of image $1 for $2 requests a second, and for profile $3 if it is given. An image with another JDK
# has its own rows above those of the default JDK's, or shares these.
find_row() {
    [ -r "$profiles_dir/table" ] || refuse "$unavailable_status" "$profiles_dir/table: cannot be read (make build makes it)"
    known_images=
    while read -r row_image profile profile_rps peak_bytes needed_bytes min_heap max_heap files options; do
        case $row_image in
            "$1" | "${1%-jdk[0-9]*}")
                if [ "$profile_rps" -ge "$2" ] && [ "${3:-$profile}" = "$profile" ]; then
                    return 0
                fi
                ;;
        esac
        [ "$row_image" = '#' ] || [ "$row_image" = "${known_images##* }" ] || known_images="${known_images:+$known_images, }$row_image"
    done <"$profiles_dir/table"
    case ", $known_images," in
        *", ${1%-jdk[0-9]*},"*) refuse "$usage_status" "no profile $3" ;;
        *) refuse "$usage_status" "no image $1; there are $known_images" ;;
    esac
}

# The columns of the row by which image $1 serves $2 requests a second.
pick_profile() {
    find_row "$1" "$2"
    [ "$profile" != - ] || refuse "$usage_status" "$2 requests a second $options"
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

# Ends where image $1 has less memory than its profile needs.
require_memory() {
    if [ -n "$limit_bytes" ] && [ "$limit_bytes" -lt "$needed_bytes" ]; then
        refuse "$unfit_status" "$profile on image $1 needs $needed_bytes bytes (measured peak and 10 %); $limit_from allows $limit_bytes"
    fi
}

# Ends where the limit has no room for command $1 next to what is running, and has the kernel kill the command before the sidecar.
require_room() {
    score=${REMORA_SYSTEM_ROOT:-}/proc/self/oom_score_adj
    [ ! -w "$score" ] || { echo 1000 >"$score"; } 2>/dev/null || :
    case $limit_from in
        */memory.max) usage_file=memory.current key=inactive_file ;;
        */memory.limit_in_bytes) usage_file=memory.usage_in_bytes key=total_inactive_file ;;
        *) return 0 ;;
    esac
    directory=${limit_from%/*}
    [ -r "$directory/$usage_file" ] || return 0
    read -r usage <"$directory/$usage_file" || [ -n "$usage" ] || return 0
    case $usage in
        '' | *[!0-9]* | ???????????????????*) return 0 ;;
    esac
    if [ -r "$directory/memory.stat" ]; then
        while read -r name value; do
            [ "$name" != "$key" ] || usage=$((usage - value))
        done <"$directory/memory.stat"
    fi
    if [ $((limit_bytes - usage)) -lt "$command_bytes" ]; then
        refuse "$unfit_status" "$1 needs $command_bytes bytes next to the sidecar, and $limit_from leaves $((limit_bytes - usage)); run it outside of the container, such as by kubectl port-forward"
    fi
}

# limit_options: the limit for the process, and the heap and the buffers' bound that fit it; empty without a limit. Of what
# the limit leaves above the peak, less 6 % that nobody counts, the heap may grow by three eighths, to the nearest step, and the rest is
# for buffers and sockets. They come after the row's options, because the last of two wins. The limit's place is kept apart from these, as a path may
# have blanks.
fit_to_limit() {
    limit_options=
    [ -n "$limit_bytes" ] || return 0
    limit_options="-Dremora.limit=$limit_bytes"
    # a file of the user's own says itself what it takes
    [ "${peak_bytes:-0}" -gt 0 ] && [ "$max_heap" -gt 0 ] || return 0
    room=$((limit_bytes / 100 * 94 - peak_bytes))
    [ "$room" -gt 0 ] || room=0
    growth=$(((room / 8 * 3 + heap_step / 2) / heap_step * heap_step))
    fit=$((min_heap + growth))
    if [ "$fit" -lt "$max_heap" ]; then
        max_heap=$fit
        limit_options="$limit_options -Xmx$fit"
    fi
    fit=$(((room - growth) / 65536 * 65536))
    [ "$fit" -gt "$least_direct" ] || fit=$least_direct
    if [ "$fit" -lt "$most_direct" ]; then
        limit_options="$limit_options -XX:MaxDirectMemorySize=$fit"
    fi
}

# heap_options: the heap of JVM_HEAP_MIN and JVM_HEAP_MAX instead of the row's (0: the JVM's own), and a property that tells the
# log so; empty without them. Where one is given and the other end would be on its wrong side, that end moves along.
find_heap_override() {
    heap_options=
    override=
    if [ -n "${JVM_HEAP_MIN:-}" ]; then
        read_size JVM_HEAP_MIN "$JVM_HEAP_MIN"
        min_heap=$bytes override=JVM_HEAP_MIN=$JVM_HEAP_MIN
    fi
    if [ -n "${JVM_HEAP_MAX:-}" ]; then
        read_size JVM_HEAP_MAX "$JVM_HEAP_MAX"
        max_heap=$bytes override=${override:+$override,}JVM_HEAP_MAX=$JVM_HEAP_MAX
    fi
    [ -n "$override" ] || return 0
    if [ "$max_heap" -gt 0 ] && [ "$min_heap" -gt "$max_heap" ]; then
        case $override in
            *,*) refuse "$usage_status" "JVM_HEAP_MIN=$JVM_HEAP_MIN is above JVM_HEAP_MAX=$JVM_HEAP_MAX" ;;
            JVM_HEAP_MIN=*) max_heap=$min_heap ;;
            *) min_heap=$max_heap ;;
        esac
    fi
    [ "$min_heap" -eq 0 ] || heap_options=-Xms$min_heap
    [ "$max_heap" -eq 0 ] || heap_options="$heap_options -Xmx$max_heap"
    heap_options="$heap_options -Dremora.heap.override=$override"
}
