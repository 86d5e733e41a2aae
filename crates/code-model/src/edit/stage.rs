//! Stages edits as a proposal: finds their positions in the present files, applies them, and checks
//! the results.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use base::{Error, Result};
use database::Database;
use serde_json::json;

use super::decide::{self, outcome_fields};
use super::insertion::{Beside, splices};
use super::preview::{Block, Preview, Shown};
use super::proposal::{self, Proposal, ProposalFile, Status, StoredEdit};
use super::relocate::{self, Old};
use super::request::{Edit, ItemEdit, Place, PreviewMode, Request, check_bytes};
use super::splice::{apply, check_range};
use super::syntax::check_syntax;
use super::warning::{left_out, surprises, unseen};
use super::written::{Target, Written, unfenced};
use crate::limits::MAX_PENDING_PROPOSALS;
use crate::model::Language;
use crate::parse::rules;
use crate::resolve::{SpellingIndex, Wanted, resolve_elsewhere, resolve_in};
use crate::store::files::{self, FileRow};
use crate::store::items::{self, ItemSpan};
use crate::{CodeError, Head, ItemRow, Reply, Workspace};

/// Makes a proposal from edits, and applies it if the deployment is set to do so automatically.
pub(super) fn stage<D: Database>(
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
    let staged = ProposalDraft::make(workspace, version, request)?;
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
        // The person who decides sees removed and added code, whatever preview the author asks for.
        preview_mode: PreviewMode::Diff.word().to_owned(),
        preview: staged.diff.finish(),
        warnings: staged.warnings.join("\n"),
        reason: None,
    };
    proposed.proposal = proposal::insert(db, &proposed, &staged.files, &staged.edits)?;
    let paths: Vec<String> = staged.files.into_iter().map(|file| file.path).collect();
    let blocks = staged.new_code.map(Preview::finish);
    answer(workspace, &proposed, &paths, blocks, auto_confirmed)
}

/// Returns the new code of the edits of a file, in the order of the request.
fn new_code<'a>(
    (path, language, before): (&'a str, Language, &'a str),
    edits: &'a [StoredEdit],
) -> impl Iterator<Item = Block<'a>> {
    let edits = edits.iter().filter(move |edit| edit.path == path);
    edits.map(move |edit| Block {
        path,
        language,
        before,
        at: match edit.how() {
            Some(ItemEdit::InsertAfter) => edit.end,
            _ => edit.start,
        },
        code: &edit.code,
    })
}

/// Returns the response to a staged request, with the result if it was applied at once. The author
/// may ask for only the new code.
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

/// Returns the response to a repeated request: the same as before, or an error if another request
/// has its id.
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

/// Returns the new code of a stored proposal, as long as the history has the text for which it was
/// staged.
fn known_code<D: Database>(
    workspace: &Workspace<'_, D>,
    known: &Proposal,
    files: &[ProposalFile],
) -> Result<Option<String>> {
    let edits = proposal::edits(workspace.db, known.proposal)?;
    let mut preview = Preview::default();
    for file in files {
        let Some(bytes) = files::kept_content(workspace.db, file.before_content)? else {
            return Ok(None);
        };
        let text = String::from_utf8_lossy(&bytes);
        let language = crate::parse::language(&file.path);
        preview.code(new_code((&file.path, language, &text), &edits));
    }
    Ok(Some(preview.finish()))
}

pub(super) fn lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}

/// The parts of a proposal while its files are staged one after the other, so that only one file is
/// in memory.
struct ProposalDraft {
    /// The files, in the order in which the request names them.
    files: Vec<ProposalFile>,
    /// The edits, in the order of the request.
    edits: Vec<StoredEdit>,
    warnings: Vec<String>,
    diff: Preview,
    /// The new code, which the author may ask for instead of a diff.
    new_code: Option<Preview>,
}

/// A file with its edits, by their indexes in the request. If an item was found by the end of its
/// path, it is beside its edit.
struct Named {
    row: FileRow,
    edits: Vec<(usize, Option<ItemRow>)>,
}

impl ProposalDraft {
    fn make<D: Database>(
        workspace: &Workspace<'_, D>,
        version: u64,
        request: &Request,
    ) -> Result<Self> {
        let mut staged = Self {
            files: Vec::new(),
            edits: Vec::with_capacity(request.edits.len()),
            warnings: Vec::new(),
            diff: Preview::default(),
            new_code: (request.preview_mode == PreviewMode::CodeBlock).then(Preview::default),
        };
        let named = named(workspace, version, request)?;
        let bytes = named.iter().map(|file| file.row.byte_len).sum();
        check_bytes("the files of the edits", bytes)?;
        for file in named {
            staged.file(workspace, version, request, file)?;
        }
        staged.edits.sort_by_key(|edit| edit.sequence);
        Ok(staged)
    }

    /// Finds the positions of the edits of a file, and applies them.
    fn file<D: Database>(
        &mut self,
        workspace: &Workspace<'_, D>,
        version: u64,
        request: &Request,
        named: Named,
    ) -> Result<()> {
        let file = StagedFile::read(workspace, version, named.row)?;
        let mut edits = Vec::with_capacity(named.edits.len());
        let mut of_others: BTreeMap<&str, Vec<Seen>> = BTreeMap::new();
        for (index, found) in named.edits {
            let Some(edit) = request.edits.get(index) else {
                continue;
            };
            let (range, item) = match &edit.place {
                Place::Item { canon, kind, how } => {
                    let wanted = Wanted {
                        file: &edit.file,
                        canon,
                        kind: *kind,
                    };
                    let item = match found {
                        Some(item) => item,
                        None => file.item(workspace, version, wanted)?,
                    };
                    check_range(&file.text, &item.path, item.span.start, item.span.end)?;
                    if *how == ItemEdit::Replace {
                        let old = file.text.get(item.span.clone()).unwrap_or_default();
                        let warnings = left_out(
                            rules(file.row.language),
                            &item.canon,
                            old,
                            unfenced(&edit.code).unwrap_or(&edit.code),
                        );
                        self.warnings.extend(warnings);
                    }
                    (item.span, Some((item.id, item.tracking_hash)))
                }
                Place::Bytes {
                    expected_file_hash,
                    start,
                    end,
                } if *expected_file_hash == file.row.file_hash => {
                    check_range(&file.text, &file.row.path, *start, *end)?;
                    (*start..*end, file.around(&(*start..*end)))
                }
                Place::Bytes {
                    expected_file_hash,
                    start,
                    end,
                } => {
                    let seen = of_others.entry(expected_file_hash).or_default();
                    seen.push(Seen {
                        index,
                        range: *start..*end,
                        found: None,
                    });
                    continue;
                }
            };
            edits.push(self.stored(edit, index, &file, range, item)?);
        }
        for (expected, mut seen) in of_others {
            present_ranges(workspace, version, &file, expected, &mut seen)?;
            for Seen { index, found, .. } in seen {
                let range = found.ok_or_else(|| relocate::changed(&file.row, expected))?;
                let item = file.around(&range);
                if let Some(edit) = request.edits.get(index) {
                    edits.push(self.stored(edit, index, &file, range, item)?);
                }
            }
        }
        edits.sort_by_key(|edit| edit.sequence);
        self.finish(workspace, &file, edits)
    }

    /// Returns an edit with its position, and with its code fitted to that position.
    fn stored(
        &mut self,
        edit: &Edit,
        index: usize,
        file: &StagedFile,
        range: Range<usize>,
        item: Option<(String, String)>,
    ) -> Result<StoredEdit> {
        let target = Target {
            path: &file.row.path,
            language: file.row.language,
            text: &file.text,
            range: range.clone(),
        };
        let written = Written::of(edit, &target)?;
        self.warnings.extend(written.notice);
        Ok(StoredEdit {
            sequence: u64::try_from(index).unwrap_or(u64::MAX),
            path: file.row.path.clone(),
            mode: edit.mode().to_owned(),
            start: range.start,
            end: range.end,
            item,
            code: written.code,
        })
    }

    /// Returns the text of a file with its edits applied. It must still parse.
    fn finish<D: Database>(
        &mut self,
        workspace: &Workspace<'_, D>,
        file: &StagedFile,
        edits: Vec<StoredEdit>,
    ) -> Result<()> {
        let row = &file.row;
        let places: Vec<_> = edits
            .iter()
            .map(|edit| (edit, edit.start..edit.end))
            .collect();
        let beside = Beside {
            text: &file.text,
            grammar: rules(row.language),
            items: &file.items,
        };
        let after = apply(&file.text, &splices(&row.path, beside, &places)?);
        if after == file.text {
            return Err(Error::invalid_with_hint(
                format!("the edits change nothing in {}", row.path),
                "read the file: it has this code already",
            ));
        }
        let parsed = check_syntax(workspace, row, &after)?;
        self.warnings.extend(unseen(&row.path, &edits));
        let of_file: Vec<&StoredEdit> = edits.iter().collect();
        self.warnings
            .extend(surprises(&of_file, &file.items, &parsed));
        drop(parsed);
        self.diff.diff(&Shown {
            path: &row.path,
            before: &file.text,
            after: &after,
        });
        if let Some(preview) = &mut self.new_code {
            preview.code(new_code((&row.path, row.language, &file.text), &edits));
        }
        self.files.push(ProposalFile {
            path: row.path.clone(),
            file_hash: row.file_hash.clone(),
            tracking_hash: row.tracking_hash.clone(),
            before_content: row.content,
            new_file_hash: None,
            error: None,
            applied_to_hash: None,
        });
        self.edits.extend(edits);
        Ok(())
    }
}

/// Returns the files of the edits, in the order in which the edits name them.
fn named<D: Database>(
    workspace: &Workspace<'_, D>,
    version: u64,
    request: &Request,
) -> Result<Vec<Named>> {
    let db = workspace.db;
    let mut files: Vec<Named> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for (index, edit) in request.edits.iter().enumerate() {
        let given = edit.file.as_str();
        let mut found = None;
        let at = match (known.get(given).copied(), &edit.place) {
            (Some(at), _) => Some(at),
            (None, Place::Bytes { .. }) => {
                let row = files::require(db, version, &edit.file)?;
                known.insert(row.path.clone(), files.len());
                files.push(Named {
                    row,
                    edits: Vec::new(),
                });
                None
            }
            (None, Place::Item { canon, kind, .. }) => {
                let row = match files::find(db, version, given)? {
                    Some(row) => row,
                    None => {
                        let wanted = Wanted {
                            file: &edit.file,
                            canon,
                            kind: *kind,
                        };
                        let item = resolve_elsewhere(db, version, wanted)?;
                        let row = files::find(db, version, &item.path)?;
                        found = Some(item);
                        row.ok_or_else(|| Error::internal("an item has no file"))?
                    }
                };
                match known.get(&row.path).copied() {
                    Some(at) => Some(at),
                    None => {
                        known.insert(row.path.clone(), files.len());
                        files.push(Named {
                            row,
                            edits: Vec::new(),
                        });
                        None
                    }
                }
            }
        };
        let last = files.len().saturating_sub(1);
        if let Some(file) = files.get_mut(at.unwrap_or(last)) {
            file.edits.push((index, found));
        }
    }
    Ok(files)
}

/// A file whose edits are being staged.
struct StagedFile {
    row: FileRow,
    text: String,
    items: Vec<ItemRow>,
    /// The items by their paths, and their positions.
    spelled: SpellingIndex,
    standing: Vec<ItemSpan>,
}

impl StagedFile {
    fn read<D: Database>(workspace: &Workspace<'_, D>, version: u64, row: FileRow) -> Result<Self> {
        let text = files::text(workspace.db, &row)?;
        let items = items::of_file(workspace.db, version, &row.path)?;
        Ok(Self {
            spelled: SpellingIndex::of(&items),
            standing: items.iter().map(ItemSpan::from).collect(),
            row,
            text,
            items,
        })
    }

    fn item<D: Database>(
        &self,
        workspace: &Workspace<'_, D>,
        version: u64,
        wanted: Wanted<'_>,
    ) -> Result<ItemRow> {
        resolve_in(workspace.db, version, wanted, &self.items, &self.spelled)
    }

    /// Returns the id and the hash of the item around a range.
    fn around(&self, range: &Range<usize>) -> Option<(String, String)> {
        let item = relocate::around(&self.standing, range)?;
        Some((item.id.clone(), item.tracking_hash.clone()))
    }
}

/// A range in the version that the caller saw, and its present position.
struct Seen {
    index: usize,
    range: Range<usize>,
    found: Option<Range<usize>>,
}

/// Finds the present positions of ranges in a version with this hash. Each version is read once for
/// all ranges.
fn present_ranges<D: Database>(
    workspace: &Workspace<'_, D>,
    version: u64,
    file: &StagedFile,
    expected: &str,
    seen: &mut [Seen],
) -> Result<()> {
    let row = &file.row;
    // If a past version has other tokens, the code itself has changed, and not only its
    // surroundings.
    for past in files::past(workspace.db, &row.path, expected)? {
        if past.tracking_hash != row.tracking_hash {
            return Err(relocate::changed(row, expected));
        }
        let same = past.file_hash == row.file_hash;
        let older = if same {
            None
        } else {
            let text = files::text(workspace.db, &past)?;
            Some((text, items::standing_in(workspace.db, past.file)?))
        };
        for seen in &mut *seen {
            let moved = match &older {
                None => {
                    check_range(&file.text, &row.path, seen.range.start, seen.range.end)?;
                    Some(seen.range.clone())
                }
                Some((text, list)) => from_past(workspace, version, file, text, list, &seen.range)?,
            };
            match (moved, &seen.found) {
                (Some(moved), None) => seen.found = Some(moved),
                (Some(moved), Some(other)) if moved == *other => {}
                // A hash of tokens may be that of several texts, in which these bytes have
                // different positions.
                _ => return Err(relocate::changed(row, expected)),
            }
        }
    }
    Ok(())
}

fn from_past<D: Database>(
    workspace: &Workspace<'_, D>,
    version: u64,
    file: &StagedFile,
    text: &str,
    list: &[ItemSpan],
    range: &Range<usize>,
) -> Result<Option<Range<usize>>> {
    let path = &file.row.path;
    check_range(text, path, range.start, range.end)?;
    let Some(item) = relocate::around(list, range) else {
        return Ok(None);
    };
    let old = Old {
        range: range.clone(),
        how: None,
        item: Some((&item.id, &item.tracking_hash)),
        text,
    };
    relocate::find(workspace.db, version, path, &file.text, &old, list)
}
