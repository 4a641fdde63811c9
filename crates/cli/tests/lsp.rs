#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
//! A scripted editor: it starts `watertight lsp`, opens, edits and saves files, hovers, and takes code actions.
//!
//! The time of each step is printed (`--nocapture` shows it); nothing is judged by it, for a busy machine is no defect.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Longer than any step may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// An editor with one server.
struct Editor {
    server: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// Messages that came while another was waited for.
    kept: Vec<Value>,
    folder: PathBuf,
    requests: i64,
}

impl Editor {
    fn start(folder: &Path, settings: Value) -> Editor {
        Editor::start_with(folder, settings, &[])
    }

    /// Starts a server with further arguments.
    fn start_with(folder: &Path, settings: Value, arguments: &[&Path]) -> Editor {
        let mut server = Command::new(env!("CARGO_BIN_EXE_watertight"))
            .args(["lsp", "--stdio"])
            .args(arguments)
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(server.stdout.take().unwrap());
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let input = server.stdin.take();
        let folder = folder.to_path_buf();
        let mut editor = Editor { server, input, messages, kept: Vec::new(), folder, requests: 0 };
        let root = editor.uri("");
        let greeting = json!({ "processId": null, "rootUri": root.trim_end_matches('/'), "capabilities": { "window": { "workDoneProgress": true } },
            "initializationOptions": settings });
        let answer = editor.request("initialize", greeting);
        assert_eq!(answer["serverInfo"]["name"], "watertight");
        editor.notify("initialized", json!({}));
        editor
    }

    fn uri(&self, name: &str) -> String {
        format!("file://{}", self.folder.join(name).display())
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        let input = self.input.as_mut().unwrap();
        write!(input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        input.flush().unwrap();
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request without waiting for the answer.
    fn ask(&mut self, method: &str, params: Value) -> i64 {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        let answer = self.wait(|message| message["id"] == id && message["method"].is_null());
        assert!(answer["error"].is_null(), "{answer}");
        answer["result"].clone()
    }

    /// The first message that is wanted; others are kept.
    fn wait(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.kept.iter().position(&wanted) {
            return self.kept.remove(at);
        }
        let end = Instant::now() + PATIENCE;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let message = self.messages.recv_timeout(left);
            let message = message.unwrap_or_else(|_| panic!("nothing came; there was {:?}", self.kept));
            if wanted(&message) {
                return message;
            }
            self.kept.push(message);
        }
    }

    /// What the editor is told next about a file: one line for each diagnostic.
    fn diagnostics(&mut self, name: &str) -> Vec<Value> {
        let uri = self.uri(name);
        let told = self.wait(|message| {
            message["method"] == "textDocument/publishDiagnostics" && message["params"]["uri"] == uri.as_str()
        });
        told["params"]["diagnostics"].as_array().unwrap().clone()
    }

    /// The next message of the log about a check.
    fn checked(&mut self) -> String {
        let log = self.wait(|message| {
            let text = message["params"]["message"].as_str().unwrap_or_default();
            message["method"] == "window/logMessage" && text.starts_with("checked ")
        });
        log["params"]["message"].as_str().unwrap().to_owned()
    }

    fn open(&mut self, name: &str) {
        let text = std::fs::read_to_string(self.folder.join(name)).unwrap();
        let document = json!({ "uri": self.uri(name), "languageId": "c", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Changes a file in the editor, and saves it.
    fn save(&mut self, name: &str, text: &str) {
        let changes = json!({ "textDocument": { "uri": self.uri(name), "version": 2 },
            "contentChanges": [{ "text": text }] });
        self.notify("textDocument/didChange", changes);
        std::fs::write(self.folder.join(name), text).unwrap();
        self.notify("textDocument/didSave", json!({ "textDocument": { "uri": self.uri(name) } }));
    }

    fn hover(&mut self, name: &str, line: u32, character: u32) -> Value {
        let at = json!({ "textDocument": { "uri": self.uri(name) },
            "position": { "line": line, "character": character } });
        self.request("textDocument/hover", at)
    }

    fn actions(&mut self, name: &str, diagnostic: &Value) -> Vec<Value> {
        let params = json!({ "textDocument": { "uri": self.uri(name) }, "range": diagnostic["range"],
            "context": { "diagnostics": [diagnostic] } });
        self.request("textDocument/codeAction", params).as_array().unwrap().clone()
    }

    fn leave(mut self) {
        self.request("shutdown", Value::Null);
        self.notify("exit", Value::Null);
        self.input = None;
        let status = self.server.wait().unwrap();
        assert!(status.success(), "{status}");
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn read(output: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim() {
            "" => break,
            header => {
                if let Some(number) = header.strip_prefix("Content-Length: ") {
                    length = number.parse().ok()?;
                }
            }
        }
    }
    let mut text = vec![0; length];
    output.read_exact(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}

/// Says how long a step took.
fn timed<T>(what: &str, step: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = step();
    println!("{what}: {:.0} ms", start.elapsed().as_secs_f64() * 1000.0);
    result
}

const LEAKS: &str = "#include <stdlib.h>
#include <string.h>
char *copy(const char *text);
int use(const char *name) {
    char *mine = strdup(name);
    if (mine == NULL)
        return -1;
    if (mine[0] == 'x')
        return 0;
    free(mine);
    return 1;
}
";

fn messages(diagnostics: &[Value]) -> Vec<&str> {
    diagnostics.iter().map(|diagnostic| diagnostic["message"].as_str().unwrap()).collect()
}

#[test]
fn a_session_with_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    std::fs::write(folder.join("a b.c"), LEAKS).unwrap();
    let mut editor = timed("start", || Editor::start(&folder, json!({ "flags": ["-DX=1"] })));
    // The folder's name is encoded, the file's must be too.
    let name = "a b.c";
    let uri = editor.uri("a%20b.c");
    let document = json!({ "uri": uri, "languageId": "c", "version": 1, "text": LEAKS });
    let found = timed("open, until findings are there", || {
        editor.notify("textDocument/didOpen", json!({ "textDocument": document }));
        editor.diagnostics("a%20b.c")
    });
    assert_eq!(messages(&found), ["`mine` leaks on some paths"]);
    let finding = &found[0];
    assert_eq!(finding["code"], "memory-leak");
    assert_eq!(finding["source"], "watertight");
    let range = json!({ "start": { "line": 4, "character": 17 }, "end": { "line": 4, "character": 23 } });
    assert_eq!(finding["range"], range);
    let steps = finding["relatedInformation"].as_array().unwrap();
    assert!(steps.len() >= 3, "{steps:?}");
    assert_eq!(steps.last().unwrap()["location"]["range"]["start"]["line"], 8);
    assert_eq!(steps.last().unwrap()["location"]["uri"], uri.as_str());

    // The contract of a library function, and of one of the file's own.
    let at = |line: u32, character: u32| json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": character } });
    let hover = timed("hover over strdup", || editor.request("textDocument/hover", at(4, 19)));
    let text = hover["contents"]["value"].as_str().unwrap();
    assert!(text.starts_with("**strdup**") && text.contains("release"), "{text}");
    let again = timed("hover once more", || editor.request("textDocument/hover", at(4, 19)));
    assert_eq!(again, hover);
    let own = timed("hover over use", || editor.request("textDocument/hover", at(3, 5)));
    let text = own["contents"]["value"].as_str().unwrap();
    assert!(text.starts_with("**use** (") && text.contains("a b.c:4)"), "{text}");
    assert_eq!(editor.request("textDocument/hover", at(5, 5)), Value::Null, "a keyword has no contract");
    assert_eq!(editor.request("textDocument/hover", at(4, 10)), Value::Null, "nor has a variable");
    assert_eq!(editor.request("textDocument/hover", at(900, 3)), Value::Null, "nor has nothing");

    // Ask for proofs: of the line that returns early, and of one that loses nothing.
    let offer = |line: u32| {
        json!({ "textDocument": { "uri": uri }, "context": { "diagnostics": [] },
            "range": { "start": { "line": line, "character": 0 }, "end": { "line": line, "character": 0 } } })
    };
    let offered = editor.request("textDocument/codeAction", offer(9));
    assert_eq!(offered[0]["command"], "watertight.prove", "{offered}");
    let ask = json!({ "command": "watertight.prove", "arguments": offered[0]["arguments"] });
    let told = timed("prove a release", || editor.request("workspace/executeCommand", ask));
    assert!(
        told.as_str().unwrap().contains("last reference") || told.as_str().unwrap().contains("no statement"),
        "{told}"
    );
    let ask = json!({ "command": "watertight.prove", "arguments": [{ "uri": uri, "line": 11 }] });
    let told = timed("prove the end of the function", || editor.request("workspace/executeCommand", ask));
    assert!(told.as_str().unwrap().starts_with("violated: `mine`"), "{told}");
    let shown = editor.wait(|message| {
        message["method"] == "textDocument/publishDiagnostics"
            && message.to_string().contains("violated: `mine`")
    });
    let shown = shown["params"]["diagnostics"].as_array().unwrap();
    let answer = shown.iter().find(|d| d["message"].as_str().unwrap().starts_with("violated")).unwrap();
    assert!(!answer["relatedInformation"].as_array().unwrap().is_empty(), "{answer}");
    assert!(shown.contains(finding), "the finding is still there: {shown:?}");
    editor.kept.retain(|message| message["method"] != "textDocument/publishDiagnostics");

    // Suppress it: without a reason the finding stays, and the missing reason is told.
    let params = json!({ "textDocument": { "uri": uri }, "range": finding["range"],
        "context": { "diagnostics": [finding] } });
    let actions = timed("code actions", || editor.request("textDocument/codeAction", params));
    let edit = &actions[0]["edit"]["changes"][&uri][0];
    assert_eq!(edit["newText"], "    // watertight: ignore[memory-leak] \n");
    assert_eq!(edit["range"]["start"], json!({ "line": 4, "character": 0 }));
    let with = |comment: &str| LEAKS.replace("    char *mine", &format!("{comment}    char *mine"));
    let path = folder.join(name);
    let save = |editor: &mut Editor, text: &str| {
        std::fs::write(&path, text).unwrap();
        let change =
            json!({ "textDocument": { "uri": uri, "version": 2 }, "contentChanges": [{ "text": text }] });
        editor.notify("textDocument/didChange", change);
        editor.notify("textDocument/didSave", json!({ "textDocument": { "uri": uri } }));
        editor.diagnostics("a%20b.c")
    };
    // A save takes the answers out of the text at once; the findings follow.
    assert_eq!(save(&mut editor, LEAKS), found);
    assert_eq!(editor.diagnostics("a%20b.c"), found);
    let told = save(&mut editor, &with(edit["newText"].as_str().unwrap()));
    let told = messages(&told);
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told.iter().any(|message| message.contains("it gives no reason")), "{told:?}");
    let edit = &actions[1]["edit"]["changes"][&uri][0];
    assert!(save(&mut editor, &with(edit["newText"].as_str().unwrap())).is_empty());

    // The command does the same with a reason of one's own.
    save(&mut editor, LEAKS);
    let argument = json!({ "uri": uri, "line": 4, "rule": "memory-leak", "reason": "mine\nalone" });
    let params = json!({ "command": "watertight.suppress", "arguments": [argument] });
    editor.request("workspace/executeCommand", params);
    let applied = editor.wait(|message| message["method"] == "workspace/applyEdit");
    let text = applied["params"]["edit"]["changes"][&uri][0]["newText"].as_str().unwrap();
    assert_eq!(text, "    // watertight: ignore[memory-leak] mine alone\n");
    editor.send(&json!({ "jsonrpc": "2.0", "id": applied["id"], "result": { "applied": true } }));
    let fixed = timed("save, until findings are there", || save(&mut editor, &with(text)));
    assert!(fixed.is_empty(), "{fixed:?}");
    editor.leave();
}

#[test]
fn a_check_shows_its_progress_and_findings_link_to_their_rule() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    std::fs::write(folder.join("a.c"), LEAKS).unwrap();
    let mut editor = Editor::start(&folder, Value::Null);
    editor.open("a.c");
    let asked = editor.wait(|message| message["method"] == "window/workDoneProgress/create");
    let token = asked["params"]["token"].clone();
    let progress = |kind: &'static str| {
        let token = token.clone();
        move |message: &Value| {
            message["method"] == "$/progress"
                && message["params"]["token"] == token
                && message["params"]["value"]["kind"] == kind
        }
    };
    let begin = editor.wait(progress("begin"));
    assert_eq!(begin["params"]["value"]["message"], "checking a.c");
    let end = editor.wait(progress("end"));
    assert_eq!(end["params"]["value"]["message"], "a.c: 1 finding");
    let found = editor.diagnostics("a.c");
    let page = found[0]["codeDescription"]["href"].as_str().unwrap().strip_prefix("file://").unwrap();
    assert!(std::fs::read_to_string(page).unwrap().starts_with("# Memory leak"));
    let page = Path::new(page).to_path_buf();
    editor.leave();
    assert!(!page.exists(), "the pages are gone with the session");
}

#[test]
fn a_session_with_a_project() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    std::fs::create_dir(folder.join("build")).unwrap();
    let main = "char *make(void);\nvoid keep(char *);\nint work(void) {\n    char *p = make();\n    keep(p);\n    \
        return 0;\n}\n";
    let make = "#include <stdlib.h>\nchar *make(void) {\n    return malloc(8);\n}\n";
    let keep = "#include <stdlib.h>\nvoid keep(char *p) {\n    free(p);\n}\n";
    for (name, text) in [("main.c", main), ("make.c", make), ("keep.c", keep)] {
        std::fs::write(folder.join(name), text).unwrap();
    }
    let entry = |name: &str| json!({ "directory": folder, "file": name, "arguments": ["cc", "-c", name] });
    let database = json!([entry("main.c"), entry("make.c"), entry("keep.c")]);
    std::fs::write(folder.join("build/compile_commands.json"), database.to_string()).unwrap();
    let mut editor = Editor::start(&folder, Value::Null);
    editor.open("main.c");
    // The file at hand first, then everything; together the files are clean.
    assert!(editor.diagnostics("main.c").is_empty());
    assert!(editor.checked().starts_with("checked main.c in "));
    assert!(editor.checked().starts_with("checked the project in "));
    // A change in one file shows in another.
    editor.open("keep.c");
    editor.save("keep.c", "void keep(char *p) {\n    p[0] = 1;\n}\n");
    let found = timed("save in a project, until findings are there", || editor.diagnostics("main.c"));
    assert_eq!(messages(&found), ["`p` leaks: it is never freed"]);
    let hover = timed("hover over make", || editor.hover("main.c", 3, 15));
    let text = hover["contents"]["value"].as_str().unwrap();
    assert!(text.contains("make.c:2") && text.contains("new memory"), "{text}");
    let actions = editor.actions("main.c", &found[0]);
    assert!(actions.iter().any(|action| action["kind"] == "quickfix"), "{actions:?}");
    editor.save("keep.c", keep);
    assert!(editor.diagnostics("main.c").is_empty());
    editor.leave();
}

#[test]
fn work_that_is_out_of_date_is_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    // A compiler that takes longer than this test.
    let clang = folder.join("clang");
    let script =
        "#!/bin/sh\ncase \"$*\" in *--version*) echo clang version 19.1.0; exit 0;; esac\nexec sleep 8\n";
    std::fs::write(&clang, script).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&clang, mode).unwrap();
    std::fs::write(folder.join("a.c"), LEAKS).unwrap();
    let mut editor = Editor::start_with(&folder, Value::Null, &[Path::new("--clang"), &clang]);
    editor.open("a.c");
    let uri = editor.uri("a.c");
    let at = json!({ "textDocument": { "uri": uri }, "position": { "line": 2, "character": 8 } });
    for _ in 0..5 {
        editor.save("a.c", LEAKS);
    }
    // The server still answers while a check is under way, and a question can be taken back.
    let id = editor.ask("textDocument/hover", at);
    editor.notify("$/cancelRequest", json!({ "id": id }));
    let answer = editor.wait(|message| message["id"] == id);
    assert!(!answer["error"].is_null() || !answer["result"].is_null(), "{answer}");
    let ended = editor.kept.iter().filter(|message| message["method"] == "window/logMessage").count();
    assert_eq!(ended, 0, "no check can have come to an end: {:?}", editor.kept);
    timed("goodbye while a check is under way", || editor.leave());
}

#[test]
fn what_is_not_understood_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut editor = Editor::start(folder.path(), Value::Null);
    let id = editor.ask("textDocument/rename", json!({}));
    assert_eq!(editor.wait(|message| message["id"] == id)["error"]["code"], -32601);
    let id = editor.ask("textDocument/hover", json!({ "position": 3 }));
    assert_eq!(editor.wait(|message| message["id"] == id)["error"]["code"], -32602);
    let id = editor.ask("workspace/executeCommand", json!({ "command": "rm", "arguments": [] }));
    assert_eq!(editor.wait(|message| message["id"] == id)["error"]["code"], -32602);
    // A document that is no file, and a file that does not compile.
    let document = json!({ "uri": "untitled:1", "languageId": "c", "version": 1, "text": "int x;" });
    editor.notify("textDocument/didOpen", json!({ "textDocument": document }));
    std::fs::write(folder.path().join("bad.c"), "int f( {\n").unwrap();
    editor.open("bad.c");
    let told = editor.wait(|message| {
        message["method"] == "window/showMessage" || message["method"] == "textDocument/publishDiagnostics"
    });
    assert!(told.to_string().contains("bad.c"), "{told}");
    editor.leave();
}

#[test]
fn opening_a_hostile_folder_runs_and_writes_nothing() {
    let outside = tempfile::tempdir().unwrap();
    let folder = outside.path().canonicalize().unwrap().join("project");
    std::fs::create_dir(&folder).unwrap();
    let ran = outside.path().join("ran");
    let script = format!("#!/bin/sh\necho ran > '{}'\n", ran.display());
    for name in ["clang", "clang-19", "evil.c", "git"] {
        std::fs::write(folder.join(name), &script).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(folder.join(name), mode).unwrap();
    }
    std::fs::write(folder.join("a.c"), LEAKS).unwrap();
    let lists = include_str!("cli/hostile/flags.txt").lines();
    let lists = lists.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let entries: Vec<Value> = lists
        .step_by(6)
        .enumerate()
        .map(|(number, line)| {
            let out = outside.path().display().to_string();
            let mut arguments = vec!["cc".to_owned()];
            let flags = line.split(" => ").next().unwrap_or_default();
            arguments.extend(flags.split_whitespace().map(|word| word.replace("OUT", &out)));
            let output = format!("{number}.o");
            arguments.extend([format!("-DCASE={number}"), "-c".into(), "a.c".into(), "-o".into(), output]);
            json!({ "directory": folder, "file": "a.c", "arguments": arguments })
        })
        .collect();
    std::fs::write(folder.join("compile_commands.json"), json!(entries).to_string()).unwrap();
    let names = |folder: &Path| {
        let mut names: Vec<_> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.retain(|name| name != ".watertight");
        names.sort();
        names
    };
    let before = (names(outside.path()), names(&folder));
    let settings = json!({ "checkArguments": ["--clang", "./evil.c", "-o", "../written"] });
    let mut editor = Editor::start(&folder, settings);
    editor.open("a.c");
    assert!(!editor.diagnostics("a.c").is_empty());
    // The file alone comes first, then the project.
    editor.checked();
    editor.checked();
    editor.leave();
    assert_eq!((names(outside.path()), names(&folder)), before);
}

/// What is no message is answered with an error, and the session goes on.
#[test]
fn a_message_that_is_none_ends_nothing() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.c"), "int one(void) { return 1; }\n").unwrap();
    let mut editor = Editor::start(folder.path(), json!({}));
    for bytes in [
        "Content-Length: 99999999999999\r\n\r\n{}",
        "Content-Length: 18446744073709551615\r\n\r\n",
        "Content-Length: -5\r\n\r\n",
        "nonsense\r\n\r\n",
        "Content-Length: 4\r\n\r\n{{{{",
        "Content-Length: 12\r\n\r\n{\"id\":[1,2]}",
        "Content-Length: 4\r\n\r\nnull",
    ] {
        let input = editor.input.as_mut().unwrap();
        input.write_all(bytes.as_bytes()).unwrap();
        input.flush().unwrap();
        // The next message is what shows an endless one to be over.
        let id = editor.ask("shutdown/not/yet", json!({}));
        let error = editor.wait(|message| message["id"].is_null() && message["error"].is_object());
        assert!(error["error"]["code"].as_i64().unwrap() < -32_000, "{error}");
        let answer = editor.wait(|message| message["id"] == id);
        assert_eq!(answer["error"]["code"], -32601, "{bytes}: {answer}");
    }
    editor.request("shutdown", Value::Null);
    editor.notify("exit", Value::Null);
    assert!(editor.server.wait().unwrap().success());
}
