# Sums of the reports of Maven's runners, for the scripts that run tests. Sourced by sh.
# shellcheck shell=sh

# The attribute $1 of every test suite in the report files that follow, added up.
sum_suites() {
    attribute=$1
    shift
    cat "$@" 2>/dev/null | sed -n "s/^<testsuite .* $attribute=\"\([0-9]*\)\".*/\1/p" | awk '{ total += $1 } END { print total + 0 }'
}
