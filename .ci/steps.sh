# shellcheck shell=bash
# What the scripts of this folder have in common.

# One folder for all builds: the fuzz targets use most of what the package does.
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}"

# Sources do not change here.
export CARGO_INCREMENTAL=0

skipped=()
failed=()

# Runs a command and reports how long it took, and how many seconds of processors: these hardly depend on
# what else the machine does. A script without `set -e` goes on after a failure, and finish repeats it.
step() {
    local TIMEFORMAT='== %0R s, %0U s of processors and %0S s of their system' status=0
    printf '\n== %s\n' "$*"
    time "$@" || status=$?
    [ "$status" = 0 ] || failed+=("$*")
    return "$status"
}

# Says that something is skipped, now and at the end.
skip() {
    printf '\n== skipped: %s\n' "$1"
    skipped+=("$1")
}

# Ends the script with 1 if a step failed.
finish() {
    local what
    case ${#failed[@]} in
        0) printf '\n== passed in %d s\n' "$SECONDS" ;;
        *) printf '\n== %d failed in %d s\n' "${#failed[@]}" "$SECONDS" ;;
    esac
    for what in "${failed[@]}"; do printf '   failed: %s\n' "$what"; done
    for what in "${skipped[@]}"; do printf '   skipped: %s\n' "$what"; done
    [ "${#failed[@]}" = 0 ] || exit 1
}

# Installs a Debian package unless one of these programs is there: need PACKAGE PROGRAM...
need() {
    local package=$1 as_root=()
    shift
    command -v "$@" > /dev/null && return
    command -v apt-get > /dev/null || return 1
    [ "$(id -u)" = 0 ] || as_root=(sudo -n)
    "${as_root[@]}" apt-get install -y -q --no-install-recommends "$package" > /dev/null 2>&1 && return
    "${as_root[@]}" apt-get update -q > /dev/null 2>&1
    "${as_root[@]}" apt-get install -y -q --no-install-recommends "$package" > /dev/null 2>&1
}

# Adds a part of the toolchain, where rustup is in charge and it is not there.
component() {
    cargo "${1#rust}" --version > /dev/null 2>&1 && return
    command -v rustup > /dev/null && rustup component add "$1"
}

target() {
    [ -d "$(rustc --print target-libdir --target "$1")" ] && return
    command -v rustup > /dev/null && rustup target add "$1"
}
