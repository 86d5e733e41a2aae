# The Rust part of scripts/setup: a compiler that can build for wasm32-unknown-unknown, and the two
# Rust programs that turn its output into a Worker. Sourced.
#
# It tries three ways in this order: the compiler on PATH, if it has the target; rustup, which adds
# the target; Debian's rustc-web with a standard library that is built here from its sources, for
# machines that reach a package mirror but not rustup's server.

TARGET=wasm32-unknown-unknown
CHOICE=$CACHE/toolchain-$TOOLCHAIN.sh

# Prints the oldest compiler that Cargo.toml allows; edition 2024 needs 1.85 in any case.
rust_minimum() {
    local declared
    declared=$(sed -n 's/^rust-version *= *"\([0-9.]*\)".*/\1/p' "$ROOT/Cargo.toml" | head -n 1)
    echo "${declared:-1.85}"
}

# compiles_wasm [LINKER]: succeeds if the rustc on PATH compiles and links a module for wasm32.
compiles_wasm() {
    local folder code=0
    has rustc && has cargo || return 1
    at_least "$(rustc --version 2>/dev/null | cut -d' ' -f2)" "$(rust_minimum)" || return 1
    folder=$(mktemp -d)
    echo '#[unsafe(no_mangle)] pub extern "C" fn answer() -> usize { std::env::args().count() }' >"$folder/probe.rs"
    rustc --edition 2024 --crate-type cdylib --target "$TARGET" ${1:+-Clinker="$1"} \
        -o "$folder/probe.wasm" "$folder/probe.rs" >/dev/null 2>&1 || code=1
    [ -s "$folder/probe.wasm" ] || code=1
    rm -rf "$folder"
    return $code
}

# Succeeds if the chosen compiler still has its standard library for wasm32.
choice_stands() {
    [ -f "$CHOICE" ] || return 1
    (
        # shellcheck source=/dev/null
        . "$CHOICE"
        library=$(rustc --print target-libdir --target "$TARGET" 2>/dev/null) || exit 1
        [ "$(rustc --version)" = "$CODEMODE_RUSTC" ] || exit 1
        at_least "$(echo "$CODEMODE_RUSTC" | cut -d' ' -f2)" "$(rust_minimum)" || exit 1
        ls "$library"/libstd-*.rlib >/dev/null 2>&1
    )
}

# choose ROUTE [LINE…]: records how the compiler was found, as lines of shell. Runs in the chosen
# environment.
choose() {
    local route=$1
    shift
    {
        printf 'export CODEMODE_ROUTE=%q\n' "$route"
        printf 'export CODEMODE_RUSTC=%q\n' "$(rustc --version)"
        if [ $# -gt 0 ]; then printf '%s\n' "$@"; fi
    } >"$CHOICE.new"
    mv "$CHOICE.new" "$CHOICE"
    say "Rust for $TARGET: $(rustc --version) ($route)"
}

try_present() {
    local linker
    if compiles_wasm; then
        choose "found on PATH"
        return 0
    fi
    # A distribution's compiler may have the target's library but not rustup's own linker.
    for linker in wasm-ld wasm-ld-22 wasm-ld-21 wasm-ld-20 wasm-ld-19; do
        if has "$linker" && compiles_wasm "$linker"; then
            choose "found on PATH" "export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=$linker"
            return 0
        fi
    done
    return 1
}

try_rustup() {
    has rustup || return 1
    step rustup-target 180 "adding the target $TARGET with rustup (about 20 s; given up after 3 minutes)" \
        rustup target add "$TARGET" || return 1
    compiles_wasm || return 1
    choose "rustup"
}

# Never asks for a password; without the rights, the caller prints the command to run instead.
as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

# apt_install PACKAGE…
apt_install() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
}

debian_has_package() {
    [ -n "$(apt-cache policy "$1" 2>/dev/null | sed -n 's/.*Candidate: *\([^(].*\)/\1/p')" ]
}

debian_installed() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; }

debian_packages() {
    local missing=() package
    for package in "$@"; do debian_installed "$package" || missing+=("$package"); done
    [ ${#missing[@]} -gt 0 ] || return 0
    if ! debian_has_package "${missing[0]}"; then
        step apt-update 300 "reading the list of Debian's packages (about 10 s)" as_root apt-get update || return 1
    fi
    step apt-install 900 "installing Debian's ${missing[*]} (about 30 s)" apt_install "${missing[@]}"
}

# Builds the standard library for wasm32 from Debian's sources and leaves the libraries in the given
# folder. The bitcode must be embedded, or a later build with link-time optimisation has nothing to
# optimise.
build_standard_library() {
    local destination=$1 folder=$CACHE/build-std
    rm -rf "$folder"
    mkdir -p "$folder/src" "$destination"
    cat >"$folder/Cargo.toml" <<'TOML'
[package]
name = "standard-library"
version = "0.0.0"
edition = "2021"

[lib]
crate-type = ["cdylib"]

[profile.release]
panic = "abort"

[workspace]
TOML
    : >"$folder/src/lib.rs"
    (
        cd "$folder"
        unset RUSTC RUSTC_WRAPPER CARGO_BUILD_TARGET CARGO_ENCODED_RUSTFLAGS
        PATH=/usr/bin:$PATH CARGO_TARGET_DIR=$folder/target RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Cembed-bitcode=yes \
            CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=$LINKER \
            /usr/bin/cargo build --release --target "$TARGET" -Zbuild-std=std,panic_abort
        cp "target/$TARGET/release/deps/"*.rlib "$destination/"
    ) || return 1
    rm -rf "$folder"
}

# Makes a separate system root: Debian's libraries for the machine by symbolic link, and ours for
# wasm32 beside them, so that nothing is written into /usr. The wrappers make rustc and rustdoc use
# it; clippy reads SYSROOT.
make_debian_toolchain() {
    local folder=$1 entry program host
    host=$(/usr/bin/rustc -vV | sed -n 's/^host: //p')
    rm -rf "$folder.new"
    mkdir -p "$folder.new/bin" "$folder.new/sysroot/lib/rustlib/$TARGET"
    for entry in "$(/usr/bin/rustc --print sysroot)"/lib/rustlib/*; do
        [ "${entry##*/}" = "$TARGET" ] || ln -s "$entry" "$folder.new/sysroot/lib/rustlib/${entry##*/}"
    done
    [ -e "$folder.new/sysroot/lib/rustlib/$host" ] || {
        echo "Debian's rustc has no library for $host"
        return 1
    }
    build_standard_library "$folder.new/sysroot/lib/rustlib/$TARGET/lib" || return 1
    for program in rustc rustdoc; do
        printf '#!/bin/sh\nexec /usr/bin/%s --sysroot %q "$@"\n' "$program" "$folder/sysroot" >"$folder.new/bin/$program"
        chmod +x "$folder.new/bin/$program"
    done
    ln -s /usr/bin/cargo "$folder.new/bin/cargo"
    for program in cargo-clippy clippy-driver cargo-fmt rustfmt; do ln -s "/usr/bin/$program" "$folder.new/bin/$program"; done
    rm -rf "$folder"
    mv "$folder.new" "$folder"
}

try_debian() {
    local version folder
    has apt-get || return 1
    debian_packages rustc-web cargo-web rust-web-src || return 1
    # The linker must be of the compiler's own LLVM.
    version=$(/usr/bin/rustc -vV | sed -n 's/^LLVM version: \([0-9]*\).*/\1/p')
    debian_packages "lld-$version" || return 1
    LINKER=wasm-ld-$version
    folder=$CACHE/rust-debian-$(/usr/bin/rustc -vV | hash_of /dev/stdin)
    if [ ! -d "$folder" ]; then
        step build-std 1200 "building Rust's standard library for $TARGET from Debian's sources (about 40 s)" \
            make_debian_toolchain "$folder" || return 1
    fi
    # cargo looks for cargo-clippy and cargo-fmt in its own home first, unless that folder is on
    # PATH. So it is put last, or rustup's programs would run with Debian's compiler.
    (
        PATH=$folder/bin:$PATH
        export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=$LINKER
        compiles_wasm "$LINKER" || exit 1
        choose "Debian's packages" \
            "$(printf 'export PATH=%q:"$PATH":"${CARGO_HOME:-$HOME/.cargo}/bin"' "$folder/bin")" \
            "$(printf 'export SYSROOT=%q' "$folder/sysroot")" \
            "export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=$LINKER"
    )
}

prepare_rust() {
    local done=false
    if ! choice_stands; then
        case $TOOLCHAIN in
            auto) { try_present || try_rustup || try_debian; } && done=true ;;
            rustup) { try_present || try_rustup; } && done=true ;;
            debian) try_debian && done=true ;;
        esac
        $done || die "no Rust compiler (at least $(rust_minimum)) that builds for $TARGET. Either of these helps:
  1. rustup (https://rustup.rs), then: rustup update stable && rustup target add $TARGET
  2. on Debian 12 or newer, as root: apt-get install rustc-web cargo-web rust-web-src lld-22 rust-web-clippy rustfmt-web
Then run the same command again. Logs: $CACHE/logs"
    fi
    # shellcheck source=/dev/null
    . "$CHOICE"
    export PATH
}

prepare_rust_lint() {
    if cargo clippy --version >/dev/null 2>&1 && cargo fmt --version >/dev/null 2>&1; then return 0; fi
    if [ -n "${SYSROOT:-}" ]; then
        debian_packages rust-web-clippy rustfmt-web || die "lint needs Debian's rust-web-clippy and rustfmt-web"
    else
        has rustup || die "lint needs clippy and rustfmt of the compiler in use"
        step rustup-lint 180 "adding clippy and rustfmt with rustup (about 20 s)" rustup component add clippy rustfmt ||
            die "lint needs clippy and rustfmt of the compiler in use"
    fi
}

# install_program CRATE VERSION [OPTION…]: makes an unoptimised build, which takes half the time and
# is fast enough.
install_program() {
    local crate=$1 version=$2
    shift 2
    env -u RUSTFLAGS -u CARGO_BUILD_TARGET CARGO_TARGET_DIR="$CACHE/tools/build" CARGO_PROFILE_DEV_DEBUG=0 \
        cargo install "$crate" --version "$version" --debug --force --root "$CACHE/tools" "$@"
}

prepare_wasm_tools() {
    local bindgen installed=false
    bindgen=$(sed -n '/^name = "wasm-bindgen"$/{n;s/^version = "\(.*\)"$/\1/p;}' "$ROOT/Cargo.lock")
    [ -n "$bindgen" ] || die "Cargo.lock names no wasm-bindgen"
    if [ "$("$CACHE/tools/bin/worker-build" --version 2>/dev/null)" != "$WORKER_BUILD_VERSION" ]; then
        if [ "$(uname -s)" = Linux ] && [ -z "${OPENSSL_DIR:-}" ] && ! pkg-config --exists openssl 2>/dev/null; then
            { has apt-get && debian_packages libssl-dev pkg-config; } ||
                die "worker-build needs OpenSSL's headers. Debian, Ubuntu: apt-get install libssl-dev pkg-config. Fedora: dnf install openssl-devel"
        fi
        step worker-build 1800 "building worker-build $WORKER_BUILD_VERSION (2 to 4 minutes)" \
            install_program worker-build "$WORKER_BUILD_VERSION" --locked || die "worker-build could not be installed"
        installed=true
    fi
    if [ "$("$CACHE/tools/bin/wasm-bindgen" --version 2>/dev/null)" != "wasm-bindgen $bindgen" ]; then
        # Not with --locked, because the lock file of this program names a crate that was withdrawn.
        step wasm-bindgen 1800 "building wasm-bindgen $bindgen (1 to 3 minutes)" \
            install_program wasm-bindgen-cli "$bindgen" --bin wasm-bindgen || die "wasm-bindgen could not be installed"
        installed=true
    fi
    if $installed; then rm -rf "$CACHE/tools/build"; fi
}

rust_environment() {
    cat "$CHOICE"
    # The objects of the two compilers are incompatible, so each has its own folder; a variable that
    # is set already takes precedence.
    case $CODEMODE_ROUTE in
        Debian*) printf 'export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-%s}"\n' "$CACHE/target-debian" ;;
        *) printf 'export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-%s}"\n' "$CACHE/target" ;;
    esac
    printf 'export WASM_BINDGEN_BIN=%q\n' "$CACHE/tools/bin/wasm-bindgen"
    # worker-build sets it for cargo. It is set here too, so that clippy and cargo see the same
    # macro output.
    echo 'export WASM_BINDGEN_USE_JS_SYS=1'
}
