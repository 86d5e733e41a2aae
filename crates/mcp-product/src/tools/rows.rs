//! Rows: a page of a query, and the rows that a statement returns.

use serde::Deserialize;
use serde_json::Value;

use super::context::{Call, ParsedCall, hash};
use crate::McpServerError;
use crate::backend::Backend;
use crate::limits::{DEFAULT_PAGE_ROWS, MAX_PAGE_ROWS};
use crate::results::hints::with_rendered_notices;
use crate::results::{self, ObjectResponse};
use base::{Error, Result};
use mcp::server::Outcome;

/// The counts of a statement that ran.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Counts {
    changes: u64,
    rows_written: u64,
}

impl<B: Backend> Call<'_, B> {
    /// Returns one page of the rows of a query.
    pub(super) async fn query(&self, given: &ParsedCall<'_>) -> Result<Outcome> {
        let wanted = given.arguments.count("limit")?;
        let limit = wanted.unwrap_or(DEFAULT_PAGE_ROWS).min(MAX_PAGE_ROWS);
        let statement = given.arguments.canonical(&["cursor", "limit"]);
        let offset = match given.arguments.text("cursor")? {
            None => 0,
            Some(cursor) => Cursor::read(&cursor, &statement)?,
        };
        let first = format!(
            r#""operation":"query","rowFormat":"array","limit":{limit},"offset":{offset},"maxBytes":{}"#,
            self.terms.result_bytes()
        );
        let body = given
            .arguments
            .body(&first, &["session", "limit", "cursor"]);
        let said = self.backend.operate(&given.session, body).await?;
        let members = match ObjectResponse::read(&said) {
            ObjectResponse::Success(members) => members,
            ObjectResponse::Failure(error) => {
                return Ok(results::failure(Some(&given.session), &error, self.terms));
            }
        };
        let members = with_rendered_notices(&members, self.terms.profile);
        let mut page = results::page(&members, self.terms.max_tokens, limit)?;
        let mut text = self.headed(given, &counted(page.rows), &page.text);
        // Without a row the next page would be the same one again.
        if page.truncated && page.rows > 0 {
            let cursor = Cursor::write(offset + page.rows, &statement);
            text.push_str("\nThere are more rows: repeat the call with \"cursor\": \"");
            text.push_str(&cursor);
            text.push('"');
            page.members
                .push_str(&format!(r#","nextCursor":"{cursor}""#));
        }
        let structured = results::with_session(Some(&given.session), &page.members);
        Ok(Outcome::complete(results::result(
            &text,
            &structured,
            false,
        )))
    }

    /// Puts a line with the session above the rows, because the call may not have named it.
    fn headed(&self, given: &ParsedCall<'_>, what: &str, text: &str) -> String {
        format!("Session {}: {what}\n{text}", given.session)
    }

    pub(super) async fn operate(&self, given: &ParsedCall<'_>, name: &str) -> Result<Outcome> {
        let rows = if name == "exec" {
            format!(
                r#","rowFormat":"array","limit":{MAX_PAGE_ROWS},"maxBytes":{}"#,
                self.terms.result_bytes()
            )
        } else {
            String::new()
        };
        let first = format!(r#""operation":"{name}"{rows}"#);
        let body = given.arguments.body(&first, &["session", "confirm"]);
        let basis = given.basis.as_deref();
        let said = self.backend.remove(&given.session, body, basis).await?;
        let has_rows = name == "exec" && said.contains(r#""results":"#);
        match ObjectResponse::read(&said) {
            ObjectResponse::Success(members) if has_rows => Ok(self.returned(given, &members)),
            ObjectResponse::Success(_) | ObjectResponse::Failure(_) => {
                self.concluded(given, &said).await
            }
        }
    }

    /// Renders the rows of a statement that ran. It is complete, even if they cannot be shown.
    fn returned(&self, given: &ParsedCall<'_>, members: &str) -> Outcome {
        let members = &*with_rendered_notices(members, self.terms.profile);
        let page = match results::page(members, self.terms.max_tokens, MAX_PAGE_ROWS) {
            Ok(page) => page,
            Err(error) => {
                let counts: Option<Counts> = serde_json::from_str(&format!("{{{members}}}")).ok();
                let (changes, written) =
                    counts.map_or((0, 0), |counts| (counts.changes, counts.rows_written));
                let notice = format!("the statement ran; its rows are not shown: {error}");
                let members = format!(
                    r#""changes":{changes},"rowsWritten":{written},"truncated":true,"notice":{}"#,
                    Value::from(notice)
                );
                return Outcome::complete(results::structured(Some(&given.session), &members));
            }
        };
        let more = if page.truncated { ", and more" } else { "" };
        let text = self.headed(given, &format!("{}{more}", counted(page.rows)), &page.text);
        let structured = results::with_session(Some(&given.session), &page.members);
        Outcome::complete(results::result(&text, &structured, false))
    }
}

/// Renders a number of rows.
fn counted(rows: u64) -> String {
    match rows {
        1 => "1 row".to_owned(),
        rows => format!("{rows} rows"),
    }
}

/// The position of the next page: the number of rows before it, and the hash of its statement.
struct Cursor;

impl Cursor {
    fn write(offset: u64, statement: &str) -> String {
        format!("{offset}.{:016x}", hash(statement))
    }

    fn read(cursor: &str, statement: &str) -> Result<u64> {
        let parts = cursor.split_once('.');
        parts
            .filter(|(_, of)| *of == format!("{:016x}", hash(statement)))
            .and_then(|(offset, _)| offset.parse().ok())
            .ok_or_else(|| Error::from(McpServerError::InvalidCursor))
    }
}
