//! Routes that the object of a code workspace serves. An operation is a body that names it, as in a
//! session; each file has its own address.

use super::{Access, BodyLimit, Entry, ServedBy, Wait};

/// The work that the object of a workspace does for a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeTask {
    /// Runs the operation that the body names.
    Operate,
    /// Describes the workspace.
    Describe,
    /// Deletes it.
    Delete,
    /// Writes files: a list as JSON, or a tar archive.
    PutFiles,
    /// Writes one file, which is the body.
    PutFile,
    /// Deletes one file.
    DeleteFile,
}

macro_rules! code {
    ($path:literal) => {
        concat!("/api/code/{workspace}", $path)
    };
}

/// The routes.
pub(super) const ROUTES: &[Entry] = &[
    Entry {
        name: "codeoperate",
        method: "POST",
        path: code!(""),
        place: ServedBy::Code(CodeTask::Operate),
        summary: "Run one operation on the workspace, by name",
        body: BodyLimit::Batch,
        wait: Wait::Load,
        ..READ
    },
    Entry {
        name: "describeworkspace",
        path: code!(""),
        summary: "Version and size of the workspace",
        ..READ
    },
    Entry {
        name: "deleteworkspace",
        method: "DELETE",
        path: code!(""),
        place: ServedBy::Code(CodeTask::Delete),
        summary: "Delete the workspace with its files and its history",
        ..READ
    },
    Entry {
        name: "putfiles",
        method: "POST",
        path: code!("/files"),
        place: ServedBy::Code(CodeTask::PutFiles),
        summary: "Write files, all or none: a list as JSON, or a tar archive",
        body: BodyLimit::Load,
        wait: Wait::Load,
        ..READ
    },
    Entry {
        name: "putfile",
        method: "PUT",
        path: code!("/files/{path}"),
        place: ServedBy::Code(CodeTask::PutFile),
        summary: "Write one file",
        body: BodyLimit::Request,
        ..READ
    },
    Entry {
        name: "deletefile",
        method: "DELETE",
        path: code!("/files/{path}"),
        place: ServedBy::Code(CodeTask::DeleteFile),
        summary: "Delete one file",
        ..READ
    },
];

const READ: Entry = Entry {
    name: "",
    method: "GET",
    path: "",
    place: ServedBy::Code(CodeTask::Describe),
    summary: "",
    body: BodyLimit::None,
    access: Access::Tenant,
    wait: Wait::Query,
    parameters: &[],
};
