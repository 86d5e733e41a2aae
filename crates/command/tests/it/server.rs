//! A workspace behind HTTP, with the operations that the command needs: one thread, and one
//! connection for each request. A test may inspect requests first, and respond to them itself or
//! end the connection.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use code::files::from_tar;
use code_model::{Reply, Settings, Workspace, committed_reply, write_files};
use database::migrations;
use serde_json::{Value, json};

use test_support::HostDatabase;

/// 2026-11-21T22:10:00Z.
const NOW_MS: u64 = 1_795_299_000_000;

/// A request.
#[derive(Debug, Clone)]
pub struct Asked {
    pub path: String,
    pub authorization: Option<String>,
    /// The operation of a JSON body; `files` for an archive.
    pub operation: String,
    pub body: Vec<u8>,
}

/// A reaction of a test in place of the workspace.
pub enum Instead {
    /// Runs another operation first, and then the requested one.
    First(&'static str, Value),
    Respond(Value),
    Status(&'static str),
    Cut,
}

type Hook = Box<dyn FnMut(&Asked) -> Option<Instead> + Send>;

/// A server that lives as long as the process.
pub struct Server {
    pub port: u16,
    hook: Arc<Mutex<Option<Hook>>>,
    log: Arc<Mutex<Vec<Asked>>>,
}

impl Server {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Self {
            port: listener.local_addr().unwrap().port(),
            hook: Arc::default(),
            log: Arc::default(),
        };
        let (hook, log) = (Arc::clone(&server.hook), Arc::clone(&server.log));
        thread::spawn(move || {
            let db = HostDatabase::new();
            migrations::apply(&db, code_model::MIGRATIONS, NOW_MS).unwrap();
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let Some(asked) = read(&mut stream) else {
                    continue;
                };
                log.lock().unwrap().push(asked.clone());
                let instead = hook.lock().unwrap().as_mut().and_then(|hook| hook(&asked));
                let (status, body) = match instead {
                    Some(Instead::Cut) => {
                        // A response that ends in the middle.
                        drop(stream.write_all(
                            b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{\"success\":tr",
                        ));
                        continue;
                    }
                    Some(Instead::Status(head)) => (head, String::new()),
                    Some(Instead::Respond(body)) => ("200 OK", body.to_string()),
                    Some(Instead::First(operation, fields)) => {
                        let first = run(&db, operation, &fields.to_string());
                        assert!(first.is_ok(), "{first:?}");
                        serve(&db, &asked)
                    }
                    None => serve(&db, &asked),
                };
                let head = format!(
                    "HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                    body.len()
                );
                drop(stream.write_all(head.as_bytes()));
                drop(stream.write_all(body.as_bytes()));
            }
        });
        server
    }

    pub fn instead(&self, hook: impl FnMut(&Asked) -> Option<Instead> + Send + 'static) {
        *self.hook.lock().unwrap() = Some(Box::new(hook));
    }

    /// Inspects requests before the present hook.
    pub fn over(&self, mut first: impl FnMut(&Asked) -> Option<Instead> + Send + 'static) {
        let mut then = self.hook.lock().unwrap().take().unwrap();
        self.instead(move |asked| first(asked).or_else(|| then(asked)));
    }

    pub fn as_usual(&self) {
        *self.hook.lock().unwrap() = None;
    }

    /// Returns the requests since the last call.
    pub fn asked(&self) -> Vec<Asked> {
        std::mem::take(&mut *self.log.lock().unwrap())
    }

    /// Runs an operation directly, without the command.
    pub fn call(&self, operation: &str, mut fields: Value) -> Value {
        fields["operation"] = operation.into();
        let body = fields.to_string();
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        write!(
            stream,
            "POST /api/code/w HTTP/1.1\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        let value: Value =
            serde_json::from_str(response.split_once("\r\n\r\n").unwrap().1).unwrap();
        assert_eq!(value["success"], true, "{operation}: {value}");
        value
    }
}

fn read(stream: &mut TcpStream) -> Option<Asked> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let path = line.split(' ').nth(1)?.to_owned();
    let (mut length, mut authorization, mut is_archive) = (0, None, false);
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let Some((name, value)) = header.trim_end().split_once(": ") else {
            break;
        };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().ok()?,
            "authorization" => authorization = Some(value.to_owned()),
            "content-type" => is_archive = value == "application/x-tar",
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let operation = if is_archive {
        "files".to_owned()
    } else {
        let value: Value = serde_json::from_slice(&body).ok()?;
        value["operation"].as_str()?.to_owned()
    };
    Some(Asked {
        path,
        authorization,
        operation,
        body,
    })
}

/// Runs an operation on the workspace of the server.
fn run(db: &HostDatabase, operation: &str, body: &str) -> base::Result<Reply> {
    on(db, |workspace| {
        let (operation, _) = code::find(operation).unwrap();
        code::operate::run(workspace, operation, body).unwrap()
    })
}

fn on<T>(db: &HostDatabase, act: impl FnOnce(&Workspace<'_, HostDatabase>) -> T) -> T {
    act(&Workspace {
        db,
        settings: &Settings::default(),
        now_ms: NOW_MS,
        actor: "api",
        words: &|text: &str| text.to_lowercase(),
    })
}

fn serve(db: &HostDatabase, asked: &Asked) -> (&'static str, String) {
    let outcome = if asked.operation == "files" {
        from_tar(&asked.body, true)
            .and_then(|arrived| {
                on(db, |workspace| {
                    write_files(workspace, "put_files", &arrived.changes)
                })
            })
            .map(|committed| committed_reply(&committed))
    } else {
        let mut fields: Value = serde_json::from_slice(&asked.body).unwrap();
        fields.as_object_mut().unwrap().remove("operation");
        run(db, &asked.operation, &fields.to_string())
    };
    match outcome {
        Ok(reply) => {
            let mut fields = reply.fields;
            fields["success"] = true.into();
            ("200 OK", fields.to_string())
        }
        Err(error) => (
            "400 Bad Request",
            json!({ "success": false, "error": error.to_json() }).to_string(),
        ),
    }
}
