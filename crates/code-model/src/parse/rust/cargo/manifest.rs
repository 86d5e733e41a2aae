//! Parses a `Cargo.toml` for its crate. Other fields are ignored, and a manifest that cannot be
//! parsed describes no crate.

use serde::Deserialize;
use toml::Value;

use super::folders::is_within;
use crate::limits::MAX_MANIFEST_BYTES;
use crate::parse::MANIFEST_NAME;

/// The version of a crate whose manifest states none.
const NO_VERSION: &str = "0.0.0";

/// A crate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    /// The name in its manifest.
    pub name: String,
    /// Its version; `None` if it is that of the workspace.
    pub version: Option<String>,
}

/// A parsed manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// Its folder; empty for the root of the workspace.
    pub folder: String,
    /// The crate that it describes, if it describes one.
    pub package: Option<Package>,
    /// The version that members of its workspace may inherit.
    pub workspace_version: Option<String>,
    /// The root files of its targets, relative to `folder`.
    pub roots: Vec<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Document {
    package: Option<PackageTable>,
    workspace: WorkspaceTable,
    lib: Target,
    bin: Vec<Target>,
    test: Vec<Target>,
    example: Vec<Target>,
    bench: Vec<Target>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct PackageTable {
    name: Option<String>,
    version: Option<Value>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct WorkspaceTable {
    package: PackageTable,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Target {
    path: Option<String>,
}

impl Manifest {
    /// Parses the manifest at `path`.
    ///
    /// # Errors
    /// A message about the first problem.
    pub fn parse(path: &str, text: &str) -> Result<Self, String> {
        if text.len() > MAX_MANIFEST_BYTES {
            return Err(format!(
                "it has {} bytes, the limit is {MAX_MANIFEST_BYTES}",
                text.len()
            ));
        }
        let document: Document =
            toml::from_str(text).map_err(|error| error.message().to_owned())?;
        let folder = path.strip_suffix(MANIFEST_NAME).unwrap_or(path);
        let targets = [
            document.bin,
            document.test,
            document.example,
            document.bench,
        ];
        let roots = std::iter::once(document.lib).chain(targets.into_iter().flatten());
        Ok(Self {
            folder: folder.trim_end_matches('/').to_owned(),
            package: document.package.and_then(|package| {
                Some(Package {
                    name: package.name?,
                    version: match package.version {
                        Some(Value::String(version)) => Some(version),
                        Some(_) => None,
                        None => Some(NO_VERSION.to_owned()),
                    },
                })
            }),
            workspace_version: match document.workspace.package.version {
                Some(Value::String(version)) => Some(version),
                _ => None,
            },
            roots: roots.filter_map(|target| target.path).collect(),
        })
    }
}

/// Returns the version of a crate: its own, else that of the nearest workspace around it, else
/// [`NO_VERSION`].
pub(super) fn version_of<'m>(manifest: &'m Manifest, all: &'m [Manifest]) -> &'m str {
    let own = manifest
        .package
        .as_ref()
        .and_then(|package| package.version.as_deref());
    let above = all
        .iter()
        .filter(|other| is_within(&manifest.folder, &other.folder));
    let nearest = above
        .filter(|other| other.workspace_version.is_some())
        .max_by_key(|other| other.folder.len());
    own.or_else(|| nearest.and_then(|other| other.workspace_version.as_deref()))
        .unwrap_or(NO_VERSION)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_says_name_version_and_roots() {
        let text = "[package]\nname = \"a-b\"\nversion.workspace = true\n[lib]\npath = \"lib/x.rs\"\n[[bin]]\nname = \"y\"\npath = \"y.rs\"\n[dependencies]\nz = \"1\"\n";
        let manifest = Manifest::parse("crates/a/Cargo.toml", text).unwrap();
        assert_eq!(manifest.folder, "crates/a");
        assert_eq!(
            manifest.package,
            Some(Package {
                name: "a-b".to_owned(),
                version: None
            })
        );
        assert_eq!(manifest.roots, ["lib/x.rs", "y.rs"]);
        let root =
            Manifest::parse("Cargo.toml", "[workspace.package]\nversion = \"2.0.0\"\n").unwrap();
        assert_eq!((root.folder.as_str(), root.package.is_none()), ("", true));
        assert_eq!(version_of(&manifest, &[root]), "2.0.0");
        assert_eq!(version_of(&manifest, &[]), "0.0.0");
    }

    #[test]
    fn a_manifest_that_cannot_be_read_says_why() {
        assert!(Manifest::parse("Cargo.toml", "[package").is_err());
        assert!(Manifest::parse("Cargo.toml", &"[".repeat(100_000)).is_err());
        assert!(Manifest::parse("Cargo.toml", &format!("a = {}", "[".repeat(100_000))).is_err());
    }
}
