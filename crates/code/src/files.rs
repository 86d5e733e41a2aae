//! Files of a request: one file, or a tar archive. All files of a request are written together or
//! none is.

use std::io::Read;

use base::{CommonError, Error, Result};
use code_model::limits::MAX_FILE_BYTES;
use code_model::project::FilePath;
use code_model::{Changes, Commit, FileWrite, Reply};
use flate2::read::MultiGzDecoder;
use serde_json::{Value, json};
use tar::{Archive, EntryType};

use crate::limits::{MAX_REQUEST_FILES, MAX_SHOWN_SKIPPED, MAX_UNPACKED_BYTES};

/// Milliseconds in a second.
const SECOND_MS: u64 = 1_000;

/// The changes of a request, and the entries of its archive that are not files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestFiles {
    /// The files to write and to delete.
    pub changes: Changes,
    /// Archive entries that are not files, with the reason; at most [`MAX_SHOWN_SKIPPED`].
    pub skipped: Vec<(String, &'static str)>,
    /// The number of all skipped entries.
    pub skipped_count: usize,
}

/// Returns the change that writes one file.
///
/// # Errors
/// [`CommonError::InvalidArgument`] for an invalid path.
pub fn one(path: &str, bytes: Vec<u8>, modified_ms: u64) -> Result<Changes> {
    Ok(Changes {
        writes: vec![FileWrite {
            path: FilePath::parse(path)?,
            bytes,
            modified_ms,
        }],
        deletes: Vec::new(),
    })
}

/// Returns the change that deletes one file.
///
/// # Errors
/// As [`one`].
pub fn deleted(path: &str) -> Result<Changes> {
    Ok(Changes {
        writes: Vec::new(),
        deletes: vec![FilePath::parse(path)?],
    })
}

/// Reads a tar archive, compressed with gzip or not. Returns its files as writes, and reports its
/// other entries.
///
/// # Errors
/// [`CommonError::InvalidBody`] if the body is not an archive, [`CommonError::InvalidArgument`] for
/// an invalid path, [`CommonError::TooBig`] for more files or bytes than a request may contain.
pub fn from_tar(body: &[u8], is_packed: bool) -> Result<RequestFiles> {
    if is_packed {
        read_archive(MultiGzDecoder::new(body))
    } else {
        read_archive(body)
    }
}

fn read_archive<R: Read>(reader: R) -> Result<RequestFiles> {
    // The size of a compressed body does not limit the size of its content.
    let mut archive = Archive::new(reader.take(MAX_UNPACKED_BYTES.saturating_add(1)));
    let arrived = read_entries(&mut archive);
    let is_cut = archive.into_inner().limit() == 0;
    match arrived {
        // The reader stopped at the limit, which looks like a damaged end.
        Err(error) if is_cut && error.code() == base::codes::INVALID_BODY.name => {
            Err(too_large("", true))
        }
        arrived => arrived,
    }
}

fn read_entries<R: Read>(archive: &mut Archive<R>) -> Result<RequestFiles> {
    let broken = |error: std::io::Error| {
        CommonError::InvalidBody {
        message: format!("the body is not a usable tar archive: {error}"),
        hint: Some(
            "send the output of tar -c; if it is compressed with gzip, send the header content-encoding: gzip".to_owned(),
        ),
    }
    };
    let mut arrived = RequestFiles::default();
    let mut bytes_left = MAX_UNPACKED_BYTES;
    for entry in archive.entries().map_err(broken)? {
        let mut entry = entry.map_err(broken)?;
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let reason = match entry.header().entry_type() {
            EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse => None,
            EntryType::Directory | EntryType::XGlobalHeader => continue,
            EntryType::Symlink => Some("a symbolic link"),
            EntryType::Link => Some("a hard link"),
            _ => Some("not a file"),
        };
        if let Some(reason) = reason {
            arrived.skip(name, reason);
            continue;
        }
        require_few(arrived.changes.writes.len() + 1)?;
        // A sparse file of a few bytes may expand to terabytes.
        let most = bytes_left.min(MAX_FILE_BYTES as u64);
        let mut bytes = Vec::new();
        let read = entry
            .by_ref()
            .take(most.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(broken)?;
        if read as u64 > most {
            return Err(too_large(&name, bytes_left < MAX_FILE_BYTES as u64));
        }
        bytes_left = bytes_left.saturating_sub(read as u64);
        let seconds = entry.header().mtime().unwrap_or_default();
        arrived.changes.writes.push(FileWrite {
            path: FilePath::parse(name.strip_prefix("./").unwrap_or(&name))?,
            bytes,
            modified_ms: seconds.saturating_mul(SECOND_MS),
        });
    }
    arrived.require_distinct()?;
    Ok(arrived)
}

fn too_large(name: &str, is_total: bool) -> Error {
    let (message, hint) = if is_total {
        (
            format!("the files have more than {MAX_UNPACKED_BYTES} bytes"),
            "send them in several requests",
        )
    } else {
        (
            format!("{name:?} has more than {MAX_FILE_BYTES} bytes"),
            "leave the file out: a file of this size is rarely source code",
        )
    };
    Error::from(CommonError::TooBig {
        message,
        hint: hint.to_owned(),
    })
}

fn require_few(files: usize) -> Result<()> {
    if files <= MAX_REQUEST_FILES {
        return Ok(());
    }
    Err(Error::from(CommonError::TooBig {
        message: format!("the request names more than {MAX_REQUEST_FILES} files"),
        hint: "send them in several requests".to_owned(),
    }))
}

impl RequestFiles {
    fn skip(&mut self, name: String, reason: &'static str) {
        self.skipped_count = self.skipped_count.saturating_add(1);
        if self.skipped.len() < MAX_SHOWN_SKIPPED {
            self.skipped.push((name, reason));
        }
    }

    /// Rejects a path that is named twice: it would be unclear which content counts.
    fn require_distinct(&self) -> Result<()> {
        let written = self.changes.writes.iter().map(|write| &write.path);
        let mut paths: Vec<&FilePath> = written.chain(&self.changes.deletes).collect();
        paths.sort_unstable();
        let twice = paths.windows(2).find_map(|pair| match pair {
            [one, other] if one == other => Some(one),
            _ => None,
        });
        match twice {
            None => Ok(()),
            Some(path) => Err(Error::invalid(format!(
                "the request names {:?} twice",
                path.as_str()
            ))),
        }
    }
}

/// Returns the response to a write, with the skipped entries of its archive.
pub fn reply(committed: &Commit, arrived: &RequestFiles) -> Reply {
    let mut reply = code_model::committed_reply(committed);
    let skipped: Vec<Value> = arrived
        .skipped
        .iter()
        .map(|(name, reason)| json!({ "path": name, "reason": reason }))
        .collect();
    if let Some(fields) = reply.fields.as_object_mut().filter(|_| !skipped.is_empty()) {
        fields.insert("skipped".to_owned(), skipped.into());
        fields.insert("skippedCount".to_owned(), arrived.skipped_count.into());
    }
    reply
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use tar::{Builder, Header};

    use super::{RequestFiles, from_tar};
    use crate::limits::MAX_REQUEST_FILES;

    fn paths(arrived: &RequestFiles) -> Vec<(&str, usize)> {
        let writes = arrived.changes.writes.iter();
        writes
            .map(|write| (write.path.as_str(), write.bytes.len()))
            .collect()
    }

    fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut builder = Builder::new(Vec::new());
        for (path, bytes) in files {
            let mut header = Header::new_gnu();
            header.set_size(bytes.len() as u64);
            header.set_mtime(7);
            header.set_mode(0o644);
            builder.append_data(&mut header, path, *bytes).unwrap();
        }
        builder.into_inner().unwrap()
    }

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn an_archive_is_read_packed_or_not() {
        let plain = archive(&[("src/lib.rs", b"fn a() {}"), ("README.md", b"# hi")]);
        for (bytes, is_packed) in [(plain.clone(), false), (packed(&plain), true)] {
            let arrived = from_tar(&bytes, is_packed).unwrap();
            assert_eq!(paths(&arrived), [("src/lib.rs", 9), ("README.md", 4)]);
            assert_eq!(arrived.changes.writes[0].modified_ms, 7_000);
        }
    }

    #[test]
    fn links_are_reported_and_not_followed() {
        let mut builder = Builder::new(Vec::new());
        let mut header = Header::new_gnu();
        header.set_entry_type(tar::EntryType::Symlink);
        header.set_size(0);
        builder
            .append_link(&mut header, "evil.rs", "/etc/passwd")
            .unwrap();
        let arrived = from_tar(&builder.into_inner().unwrap(), false).unwrap();
        assert_eq!(paths(&arrived), []);
        assert_eq!(arrived.skipped, [("evil.rs".to_owned(), "a symbolic link")]);
    }

    #[test]
    fn an_archive_that_leaves_the_workspace_or_is_damaged_is_refused() {
        let mut header = Header::new_old();
        header.set_size(1);
        let name = header.as_old_mut();
        name.name[..9].copy_from_slice(b"../up.txt");
        header.set_cksum();
        let mut builder = Builder::new(Vec::new());
        builder.append(&header, &b"x"[..]).unwrap();
        assert!(from_tar(&builder.into_inner().unwrap(), false).is_err());
        let whole = archive(&[("src/lib.rs", &[b'x'; 2_000])]);
        assert!(from_tar(&whole[..1_200], false).is_err());
        assert!(from_tar(b"this is no archive, whatever it says it is", true).is_err());
        assert!(from_tar(&[7; 1_024], false).is_err());
    }

    #[test]
    fn a_bomb_is_told_before_it_is_unpacked() {
        // 9 MB of zeros, compressed to a few KB.
        let large = packed(&archive(&[("zeros.bin", &vec![0; 9 * 1024 * 1024])]));
        assert!(large.len() < 20_000, "{}", large.len());
        let error = from_tar(&large, true).unwrap_err();
        assert_eq!(error.code(), "TOO_BIG");
        // Several files, each of which is small enough.
        let files: Vec<(String, Vec<u8>)> = (0..5)
            .map(|n| (format!("zeros_{n}.bin"), vec![0; 8 * 1024 * 1024 - 1]))
            .collect();
        let files: Vec<(&str, &[u8])> = files
            .iter()
            .map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
            .collect();
        let error = from_tar(&packed(&archive(&files)), true).unwrap_err();
        assert_eq!(error.code(), "TOO_BIG");
        let names: Vec<String> = (0..=MAX_REQUEST_FILES).map(|n| format!("f{n}")).collect();
        let many: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b""[..])).collect();
        assert_eq!(
            from_tar(&archive(&many), false).unwrap_err().code(),
            "TOO_BIG"
        );
    }
}
