# Functions for the scripts of this folder: messages, timed steps, and entering the prepared
# environment. Sourced by bash 3.2 or newer (macOS has no newer one), so no associative arrays and
# no mapfile.

set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
CACHE=${CODEMODE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/codemode-database}
# The compiler to use: auto (any that works), rustup or debian. The forced ones have their own
# environments.
TOOLCHAIN=${CODEMODE_TOOLCHAIN:-auto}
case $TOOLCHAIN in
    auto) ENVIRONMENT=$CACHE/env.sh ;;
    rustup | debian) ENVIRONMENT=$CACHE/env-$TOOLCHAIN.sh ;;
    *)
        echo "CODEMODE_TOOLCHAIN is '$TOOLCHAIN'; it may be auto, rustup or debian" >&2
        exit 2
        ;;
esac

say() { printf '%s\n' "==> $*" >&2; }

die() {
    printf '%s\n' "error: $*" >&2
    exit 1
}

has() { command -v "$1" >/dev/null 2>&1; }

hash_of() {
    if has sha256sum; then cat "$@" | sha256sum | cut -c1-16; else cat "$@" | shasum -a 256 | cut -c1-16; fi
}

# at_least HAVE WANT: compares dotted versions.
at_least() {
    [ "$(printf '%s\n%s\n' "$2" "$1" | sort -t. -k1,1n -k2,2n -k3,3n | head -n 1)" = "$2" ]
}

duration() {
    if [ "$1" -ge 60 ]; then printf '%d min %02d s' $(($1 / 60)) $(($1 % 60)); else printf '%d s' "$1"; fi
}

# step SLUG LIMIT_SECONDS "title (about how long)" COMMAND…
# Runs the command with its output in a log, prints its progress every 15 seconds, and shows the end
# of the log if it fails. A command that takes longer than the limit is stopped and counts as
# failed.
step() {
    local slug=$1 limit=$2 title=$3
    shift 3
    local log=$CACHE/logs/$slug.log started=$SECONDS told=$SECONDS code=0 pid
    mkdir -p "$CACHE/logs"
    say "$title"
    # In its own process group, so that Ctrl-C or the limit ends the compilers it started, too.
    set -m
    "$@" >"$log" 2>&1 </dev/null &
    pid=$!
    set +m
    # shellcheck disable=SC2064
    trap "kill -TERM -- -$pid 2>/dev/null; exit 130" INT TERM
    while kill -0 "$pid" 2>/dev/null; do
        sleep 0.2
        if [ "$limit" -gt 0 ] && [ $((SECONDS - started)) -ge "$limit" ]; then
            kill -TERM -- "-$pid" 2>/dev/null || true
            echo "stopped after $limit seconds" >>"$log"
            limit=0
        elif [ $((SECONDS - told)) -ge 15 ]; then
            told=$SECONDS
            printf '    %s: %s\n' "$(duration $((SECONDS - started)))" "$(tail -n 1 "$log" | LC_ALL=C tr -cd '[:print:]' | cut -c1-100)" >&2
        fi
    done
    wait "$pid" || code=$?
    trap - INT TERM
    if [ "$code" -ne 0 ]; then
        printf '    failed (exit code %s) after %s; the end of %s:\n' "$code" "$(duration $((SECONDS - started)))" "$log" >&2
        tail -n 25 "$log" | sed 's/^/    | /' >&2
        return 1
    fi
    if [ $((SECONDS - started)) -ge 3 ]; then
        printf '    done in %s\n' "$(duration $((SECONDS - started)))" >&2
    fi
}

# enter PART…: sets up what the parts need (see scripts/setup), then puts its environment into this
# shell.
enter() {
    "$ROOT/scripts/setup" "$@"
    CODEMODE_ROOT=$ROOT
    # shellcheck source=/dev/null
    . "$ENVIRONMENT"
    cd "$ROOT"
}

# locked NAME COMMAND…: runs one at a time for all users of the cache, if the system has flock.
locked() {
    local name=$1
    shift
    if has flock; then
        mkdir -p "$CACHE/locks"
        (
            flock 9
            "$@" 9>&-
        ) 9>"$CACHE/locks/$name"
    else
        "$@"
    fi
}
