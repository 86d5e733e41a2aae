//! `apply_code_edit`: what its edits mean for the present files becomes a proposal.

use base::{Error, Result};
use database::Database;
use serde_json::json;

use super::decide::{self, outcome_fields};
use super::insertion::{Beside, insertion};
use super::preview::{Block, Shown, code_blocks, diffs};
use super::proposal::{self, Proposal, ProposalFile, Status, StoredEdit};
use super::relocate::{self, Old};
use super::request::{Edit, ItemEdit, Place, PreviewMode, Request};
use super::splice::{Splice, apply, check_range, ordered};
use super::warning::{left_out, surprises};
use crate::hash::file_hash;
use crate::limits::MAX_PENDING_PROPOSALS;
use crate::model::{Language, ParsedFile, Placement};
use crate::parse::parse;
use crate::resolve::{Wanted, resolve};
use crate::store::files::{self, FileRow};
use crate::store::items;
use crate::{CodeError, Head, ItemRow, Reply, Workspace};

/// Stages edits, and applies them where the deployment confirms such by itself.
pub(crate) fn apply_code_edit<D: Database>(
    workspace: &Workspace<'_, D>,
    arguments: &str,
) -> Result<Reply> {
    let request = Request::parse(arguments, &workspace.settings.root)?;
    let request_hash = file_hash(arguments.as_bytes()).to_string();
    let mut reply = None;
    workspace.db.transaction(&mut || {
        reply = Some(stage(workspace, &request, &request_hash)?);
        Ok(())
    })?;
    reply.ok_or_else(|| Error::internal("a transaction did not run"))
}

fn stage<D: Database>(
    workspace: &Workspace<'_, D>,
    request: &Request,
    request_hash: &str,
) -> Result<Reply> {
    let db = workspace.db;
    let known = match &request.request_id {
        Some(id) => proposal::find(db, id)?,
        None => None,
    };
    if let Some(known) = known {
        return repeated(workspace, &known, request, request_hash);
    }
    let waiting = proposal::pending_count(db)?;
    if waiting >= MAX_PENDING_PROPOSALS {
        return Err(CodeError::Full {
            what: "pending proposals",
            size: waiting + 1,
            limit: MAX_PENDING_PROPOSALS,
        }
        .into());
    }
    let version = Head::load(db)?.version;
    let mut staged = Staged {
        files: Vec::new(),
        edits: Vec::new(),
        warnings: Vec::new(),
    };
    for (index, edit) in request.edits.iter().enumerate() {
        staged.locate(workspace, version, edit, index)?;
    }
    let changed = staged.changed(workspace)?;
    let shown: Vec<Shown<'_>> = staged
        .files
        .iter()
        .zip(&changed)
        .map(|(file, after)| Shown {
            path: &file.row.path,
            before: &file.text,
            after,
        })
        .collect();
    let auto_confirmed = workspace
        .settings
        .auto_confirm_from
        .zip(request.confidence)
        .is_some_and(|(least, confidence)| confidence >= least);
    let mut proposed = Proposal {
        proposal: 0,
        request_id: request
            .request_id
            .clone()
            .unwrap_or_else(|| uuid::Uuid::new_v4().to_string()),
        request_hash: request_hash.to_owned(),
        status: Status::Pending,
        actor: workspace.actor.to_owned(),
        created_at: workspace.now_ms,
        decided_at: None,
        base_version: version,
        applied_version: None,
        reverted_version: None,
        confidence: request.confidence,
        auto_confirmed,
        staged: u64::try_from(staged.edits.len()).unwrap_or(u64::MAX),
        // Whoever decides sees what goes as well as what comes, whatever the author asks to see.
        preview_mode: PreviewMode::Diff.word().to_owned(),
        preview: diffs(&shown),
        warnings: staged.warnings.join("\n"),
        reason: None,
    };
    let files: Vec<ProposalFile> = staged.files.iter().map(StagedFile::stored).collect();
    proposed.proposal = proposal::insert(db, &proposed, &files, &staged.edits)?;
    let paths: Vec<String> = files.into_iter().map(|file| file.path).collect();
    let blocks = (request.preview_mode == PreviewMode::CodeBlock).then(|| staged.new_code());
    answer(workspace, &proposed, &paths, blocks, auto_confirmed)
}

/// The new code of edits, in the order of the files and the request.
fn new_code(texts: &[(&str, Language, &str)], edits: &[StoredEdit]) -> String {
    code_blocks(texts.iter().flat_map(|(path, language, before)| {
        let edits = edits.iter().filter(move |edit| edit.path == *path);
        edits.map(move |edit| Block {
            path,
            language: *language,
            before,
            at: match edit.how() {
                Some(ItemEdit::InsertAfter) => edit.end,
                _ => edit.start,
            },
            code: &edit.code,
        })
    }))
}

/// The response to a staged request; with what became of it where it is applied at once. The author may ask for the new code alone.
fn answer<D: Database>(
    workspace: &Workspace<'_, D>,
    proposed: &Proposal,
    paths: &[String],
    blocks: Option<String>,
    apply_now: bool,
) -> Result<Reply> {
    let (preview_mode, preview) = match &blocks {
        Some(blocks) => (PreviewMode::CodeBlock.word(), blocks),
        None => (proposed.preview_mode.as_str(), &proposed.preview),
    };
    let mut fields = json!({
        "ok": true,
        "requestId": proposed.request_id,
        "status": proposed.status.word(),
        "staged": proposed.staged,
        "applied": 0,
        "files": paths,
        "preview_mode": preview_mode,
        "preview": preview,
        "warnings": lines(&proposed.warnings),
        "auto_confirmed": proposed.auto_confirmed,
    });
    let mut version = None;
    if apply_now {
        let applied = decide::apply_now(workspace, proposed)?;
        version = Some(applied.version);
        if let (Some(fields), Some(applied)) = (
            fields.as_object_mut(),
            outcome_fields(proposed, &applied).as_object(),
        ) {
            fields.extend(applied.clone());
        }
    }
    Ok(Reply { fields, version })
}

/// A request that came before gets the same response; another request with its id none.
fn repeated<D: Database>(
    workspace: &Workspace<'_, D>,
    known: &Proposal,
    request: &Request,
    request_hash: &str,
) -> Result<Reply> {
    if known.request_hash != request_hash {
        return Err(CodeError::DuplicateRequest {
            request_id: known.request_id.clone(),
        }
        .into());
    }
    let files = proposal::files(workspace.db, known.proposal)?;
    let blocks = match request.preview_mode {
        PreviewMode::CodeBlock => known_code(workspace, known, &files)?,
        PreviewMode::Diff => None,
    };
    let paths: Vec<String> = files.into_iter().map(|file| file.path).collect();
    let mut reply = answer(workspace, known, &paths, blocks, false)?;
    if let Some(fields) = reply.fields.as_object_mut() {
        let note = format!(
            "Duplicate apply_code_edit request ignored for request_id {}",
            known.request_id
        );
        fields.insert("note".to_owned(), note.into());
        if known.status == Status::Applied {
            fields.insert("applied".to_owned(), paths.len().into());
        }
    }
    Ok(reply)
}

/// The new code of a stored proposal, while the history has what it is for.
fn known_code<D: Database>(
    workspace: &Workspace<'_, D>,
    known: &Proposal,
    files: &[ProposalFile],
) -> Result<Option<String>> {
    let mut texts = Vec::with_capacity(files.len());
    for file in files {
        let Some(bytes) = files::kept_content(workspace.db, file.before_content)? else {
            return Ok(None);
        };
        texts.push(String::from_utf8_lossy(&bytes).into_owned());
    }
    let edits = proposal::edits(workspace.db, known.proposal)?;
    let texts: Vec<_> = files
        .iter()
        .zip(&texts)
        .map(|(file, text)| {
            let path = file.path.as_str();
            (path, crate::parse::language(path), text.as_str())
        })
        .collect();
    Ok(Some(new_code(&texts, &edits)))
}

pub(super) fn lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}

struct Staged {
    /// In the order in which the request names them.
    files: Vec<StagedFile>,
    edits: Vec<StoredEdit>,
    warnings: Vec<String>,
}

struct StagedFile {
    row: FileRow,
    text: String,
    items: Vec<ItemRow>,
}

impl StagedFile {
    fn stored(&self) -> ProposalFile {
        ProposalFile {
            path: self.row.path.clone(),
            file_hash: self.row.file_hash.clone(),
            tracking_hash: self.row.tracking_hash.clone(),
            before_content: self.row.content,
            new_file_hash: None,
            error: None,
            applied_to_hash: None,
        }
    }
}

impl Staged {
    fn file<D: Database>(
        &mut self,
        workspace: &Workspace<'_, D>,
        version: u64,
        row: FileRow,
    ) -> Result<&StagedFile> {
        let at = match self.files.iter().position(|file| file.row.path == row.path) {
            Some(at) => at,
            None => {
                let text = files::text(workspace.db, &row)?;
                let items = items::of_file(workspace.db, version, &row.path)?;
                self.files.push(StagedFile { row, text, items });
                self.files.len() - 1
            }
        };
        self.files
            .get(at)
            .ok_or_else(|| Error::internal("a file is gone"))
    }

    /// What the author of the edits may ask to see instead of a diff.
    fn new_code(&self) -> String {
        let texts: Vec<_> = self
            .files
            .iter()
            .map(|file| {
                let row = &file.row;
                (row.path.as_str(), row.language, file.text.as_str())
            })
            .collect();
        new_code(&texts, &self.edits)
    }

    /// The text of each file with its edits.
    fn changed<D: Database>(&mut self, workspace: &Workspace<'_, D>) -> Result<Vec<String>> {
        let mut changed = Vec::with_capacity(self.files.len());
        for file in &self.files {
            let edits = self.edits.iter().filter(|edit| edit.path == file.row.path);
            let edits: Vec<&StoredEdit> = edits.collect();
            let places: Vec<_> = edits
                .iter()
                .map(|edit| (*edit, edit.start..edit.end))
                .collect();
            let beside = Beside {
                text: &file.text,
                language: file.row.language,
                items: &file.items,
            };
            let splices = splices(&file.row.path, beside, &places)?;
            let after = apply(&file.text, &splices);
            if after == file.text {
                return Err(Error::invalid_with_hint(
                    format!("the edits change nothing in {}", file.row.path),
                    "read the file: it has this code already",
                ));
            }
            let parsed = check_syntax(workspace, &file.row, &after)?;
            self.warnings
                .extend(surprises(&edits, &file.items, &parsed));
            changed.push(after);
        }
        Ok(changed)
    }

    /// Finds the place of an edit in the present files.
    fn locate<D: Database>(
        &mut self,
        workspace: &Workspace<'_, D>,
        version: u64,
        edit: &Edit,
        index: usize,
    ) -> Result<()> {
        let (path, range, item) = match &edit.place {
            Place::Item { canon, kind, how } => {
                let wanted = Wanted {
                    file: &edit.file,
                    canon,
                    kind: *kind,
                };
                let item = resolve(workspace.db, version, wanted)?;
                let row = files::find(workspace.db, version, &item.path)?
                    .ok_or_else(|| Error::internal("an item has no file"))?;
                let file = self.file(workspace, version, row)?;
                check_range(&file.text, &item.path, item.span.start, item.span.end)?;
                if *how == ItemEdit::Replace {
                    let old = file.text.get(item.span.clone()).unwrap_or_default();
                    let warnings = left_out(&item.canon, old, &edit.code);
                    self.warnings.extend(warnings);
                }
                (item.path, item.span, Some((item.id, item.tracking_hash)))
            }
            Place::Bytes {
                expected_file_hash,
                start,
                end,
            } => {
                let row = files::require(workspace.db, version, &edit.file)?;
                let path = row.path.clone();
                let file = self.file(workspace, version, row)?;
                let range =
                    present_range(workspace, version, file, expected_file_hash, *start..*end)?;
                let item = relocate::around(&file.items, &range)
                    .map(|item| (item.id.clone(), item.tracking_hash.clone()));
                (path, range, item)
            }
        };
        self.edits.push(StoredEdit {
            sequence: u64::try_from(index).unwrap_or(u64::MAX),
            path,
            mode: edit.mode().to_owned(),
            start: range.start,
            end: range.end,
            item,
            code: edit.code.clone(),
        });
        Ok(())
    }
}

/// Where the bytes are now that a caller saw in a version with this hash.
fn present_range<D: Database>(
    workspace: &Workspace<'_, D>,
    version: u64,
    file: &StagedFile,
    expected: &str,
    range: std::ops::Range<usize>,
) -> Result<std::ops::Range<usize>> {
    let row = &file.row;
    if expected == row.file_hash {
        check_range(&file.text, &row.path, range.start, range.end)?;
        return Ok(range);
    }
    // Versions that the caller may have seen. Where their tokens are others, the code changed and not only what stands around it.
    let seen = files::past(workspace.db, &row.path, expected)?;
    let mut found: Option<std::ops::Range<usize>> = None;
    for past in &seen {
        if past.tracking_hash != row.tracking_hash {
            return Err(relocate::changed(row, expected));
        }
        let moved = if past.file_hash == row.file_hash {
            check_range(&file.text, &row.path, range.start, range.end)?;
            Some(range.clone())
        } else {
            from_past(workspace, version, file, past, &range)?
        };
        match (moved, &found) {
            (Some(moved), None) => found = Some(moved),
            (Some(moved), Some(other)) if moved == *other => {}
            // A hash over tokens is that of several texts, in which these bytes are different places.
            _ => return Err(relocate::changed(row, expected)),
        }
    }
    found.ok_or_else(|| relocate::changed(row, expected))
}

fn from_past<D: Database>(
    workspace: &Workspace<'_, D>,
    version: u64,
    file: &StagedFile,
    past: &FileRow,
    range: &std::ops::Range<usize>,
) -> Result<Option<std::ops::Range<usize>>> {
    let text = files::text(workspace.db, past)?;
    check_range(&text, &past.path, range.start, range.end)?;
    let list = items::of_file(workspace.db, past.valid_to.saturating_sub(1), &past.path)?;
    let Some(item) = relocate::around(&list, range) else {
        return Ok(None);
    };
    let old = Old {
        range: range.clone(),
        how: None,
        item: Some((&item.id, &item.tracking_hash)),
        text: &text,
    };
    relocate::find(workspace.db, version, &past.path, &file.text, &old, &list)
}

/// The ordered splices of a file from edits and their places.
pub(super) fn splices(
    path: &str,
    file: Beside<'_>,
    edits: &[(&StoredEdit, std::ops::Range<usize>)],
) -> Result<Vec<Splice>> {
    let splices = edits.iter().map(|(edit, range)| {
        let index = usize::try_from(edit.sequence).unwrap_or(usize::MAX);
        match edit.how() {
            Some(how @ (ItemEdit::InsertBefore | ItemEdit::InsertAfter)) => {
                insertion(file, range, how, &edit.code, index)
            }
            Some(ItemEdit::Replace) | None => Splice {
                range: range.clone(),
                replacement: edit.code.clone(),
                index,
            },
        }
    });
    ordered(path, splices.collect())
}

/// Checks that a file can still be parsed. One that could not be before may be repaired in several steps.
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
