# shellcheck shell=sh disable=SC2034 # what is found is for the scripts that source this
# The tools of the build, and where they are; sourced by the other scripts, POSIX sh.
#
#   find_jdk     sets JDK_HOME to a JDK of a release that builds; fails where there is none
#   find_maven   sets MAVEN to a Maven; fails where there is none
#   find_python  sets PYTHON to a Python 3; fails where there is none

OLDEST_JDK=17
NEWEST_JDK=25

# The feature release of the Java in home $1 by its "release" file, 0 where it cannot be told.
jdk_release() {
    jdk_version=0
    if [ -r "$1/release" ]; then
        while IFS='=' read -r jdk_key jdk_value; do
            if [ "$jdk_key" = JAVA_VERSION ]; then
                jdk_value=${jdk_value#\"}
                jdk_version=${jdk_value%%[!0-9]*}
            fi
        done <"$1/release"
    fi
    printf '%s\n' "${jdk_version:-0}"
}

# True if $1 is the home of a JDK, not only of a runtime, of a release that can build the project.
is_fitting_jdk() {
    [ -x "$1/bin/javac" ] || return 1
    jdk_found=$(jdk_release "$1")
    [ "$jdk_found" -ge "$OLDEST_JDK" ] && [ "$jdk_found" -le "$NEWEST_JDK" ]
}

# The home of the javac in PATH.
path_jdk() {
    jdk_javac=$(command -v javac) || return 1
    while [ -h "$jdk_javac" ]; do
        jdk_link=$(readlink "$jdk_javac")
        case $jdk_link in
            /*) jdk_javac=$jdk_link ;;
            *) jdk_javac=${jdk_javac%/*}/$jdk_link ;;
        esac
    done
    (cd -P -- "${jdk_javac%/*}/.." && pwd -P)
}

find_jdk() {
    for JDK_HOME in "${JAVA_HOME:-}" "$(path_jdk)" /usr/lib/jvm/* /Library/Java/JavaVirtualMachines/*/Contents/Home; do
        if is_fitting_jdk "$JDK_HOME"; then
            return 0
        fi
    done
    JDK_HOME=
    return 1
}

find_maven() {
    if [ -n "${MAVEN_HOME:-}" ] && [ -x "$MAVEN_HOME/bin/mvn" ]; then
        MAVEN=$MAVEN_HOME/bin/mvn
    else
        MAVEN=$(command -v mvn)
    fi
}

find_python() {
    PYTHON=$(command -v python3)
}
