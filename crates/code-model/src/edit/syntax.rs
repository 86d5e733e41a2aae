//! Checks that an edited file still parses.

use base::Result;
use database::Database;

use crate::model::{ParsedFile, Placement};
use crate::parse::parse;
use crate::store::files::FileRow;
use crate::{CodeError, Workspace};

/// Checks that a file can still be parsed. A file that could not be parsed before is accepted, so
/// that it can be repaired in several steps.
pub(super) fn check_syntax<D: Database>(
    workspace: &Workspace<'_, D>,
    row: &FileRow,
    after: &str,
) -> Result<ParsedFile> {
    let placement = Placement {
        path: row.path.clone(),
        absolute_path: format!(
            "{}/{}",
            workspace.settings.root.trim_end_matches('/'),
            row.path
        ),
        crate_name: row.crate_name.clone(),
        namespace: uuid::Uuid::parse_str(&row.namespace).unwrap_or(crate::hash::PROJECT_NAMESPACE),
        module_path: row.module_path.clone(),
    };
    let parsed = parse(after.as_bytes(), &placement);
    match &parsed.reason {
        Some(reason) if row.parsed => Err(CodeError::SyntaxBroken {
            path: row.path.clone(),
            reason: reason.clone(),
        }
        .into()),
        _ => Ok(parsed),
    }
}
