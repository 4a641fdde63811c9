//! The loop: messages of the editor and ends of runs, one at a time.
//!
//! State: the documents that are open, what the editor shows, at most one check under way, and the questions that wait
//! for an answer. Saving a file stops the check that is under way, since its result would be out of date, and starts another.
//!
//! ```text
//! open, save ──▶ stop the old check ──▶ unit (first time) ──▶ project ──▶ diagnostics
//! hover, prove ──▶ a run of their own ──▶ answer, kept until the next save
//! ```

use std::collections::{BTreeMap, VecDeque};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Instant;

use lsp_server::{Connection, ErrorCode, Message, Notification, ProtocolError, Request, RequestId, Response};
use lsp_types::notification::{
    Cancel, DidChangeTextDocument, DidCloseTextDocument, DidOpenTextDocument, DidSaveTextDocument, Exit,
    LogMessage, Notification as _, Progress, PublishDiagnostics, ShowMessage,
};
use lsp_types::request::{
    ApplyWorkspaceEdit, CodeActionRequest, ExecuteCommand, HoverRequest, Request as _, Shutdown,
    WorkDoneProgressCreate,
};
use lsp_types::{
    ApplyWorkspaceEditParams, CancelParams, CodeActionKind, CodeActionOptions, CodeActionOrCommand,
    CodeActionParams, CodeActionProviderCapability, DidChangeTextDocumentParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, DidSaveTextDocumentParams, ExecuteCommandOptions, ExecuteCommandParams, Hover,
    HoverContents, HoverParams, HoverProviderCapability, InitializeParams, LogMessageParams, MarkupContent,
    MarkupKind, MessageType, NumberOrString, ProgressParams, ProgressParamsValue, PublishDiagnosticsParams,
    Range, SaveOptions, ServerCapabilities, ShowMessageParams, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions, WorkDoneProgress,
    WorkDoneProgressBegin, WorkDoneProgressCreateParams, WorkDoneProgressEnd,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Options;
use crate::actions::{self, PROVE, SUPPRESS, Statement, Suppression};
use crate::diagnostics::{ByFile, Shown, answer, of_proofs, of_report};
use crate::documents::{Documents, word};
use crate::outputs::{Contract, Proofs, Report};
use crate::project::{Project, Scope, Settings};
use crate::tasks::{self, Done, Task, TaskId};
use crate::uri::{path, uri};

/// Words before a parenthesis that are no functions.
const KEYWORDS: [&str; 7] = ["if", "while", "for", "switch", "return", "sizeof", "defined"];

/// What the loop waits for.
enum Event {
    Message(Message),
    Done(Done),
    /// The editor closed the connection.
    Gone,
}

/// Talks to the editor until it says goodbye.
pub(crate) fn run(connection: Connection, options: Options) -> Result<(), String> {
    let parameters = greet(&connection, &options.version)?;
    let (events, incoming) = channel();
    let receiver = connection.receiver.clone();
    let forward = events.clone();
    thread::spawn(move || {
        while let Ok(message) = receiver.recv() {
            if forward.send(Event::Message(message)).is_err() {
                return;
            }
        }
        let _ = forward.send(Event::Gone);
    });
    let project = project(&parameters);
    let window = parameters.capabilities.window.as_ref();
    let shows_progress = window.and_then(|window| window.work_done_progress).unwrap_or(false);
    let mut server = Server {
        connection,
        options,
        project,
        shows_progress,
        events,
        documents: Documents::default(),
        shown: Shown::default(),
        check: None,
        rest: VecDeque::new(),
        questions: BTreeMap::new(),
        contracts: BTreeMap::new(),
        proofs: ByFile::new(),
        tasks: 0,
    };
    server.serve(&incoming)
}

/// Waits for a greeting that can be read, and answers it. Whether `initialized` follows makes no difference.
fn greet(connection: &Connection, version: &str) -> Result<InitializeParams, String> {
    loop {
        let (id, parameters) = connection.initialize_start().map_err(|error| unread(&error))?;
        let (answer, parameters) = match serde_json::from_value(parameters) {
            Ok(parameters) => {
                let greeting = serde_json::json!({
                    "capabilities": capabilities(),
                    "serverInfo": { "name": "watertight", "version": version },
                });
                (Response::new_ok(id, greeting), Some(parameters))
            }
            Err(error) => {
                let why = format!("cannot read the greeting: {error}");
                (Response::new_err(id, ErrorCode::InvalidParams as i32, why), None)
            }
        };
        connection.sender.send(answer.into()).map_err(|error| error.to_string())?;
        if let Some(parameters) = parameters {
            return Ok(parameters);
        }
    }
}

/// Why there was no greeting.
fn unread(error: &ProtocolError) -> String {
    match error.channel_is_disconnected() {
        true => "nothing is connected to standard input: this command is started by an editor, which talks to it there \
                 (docs/editor.md says how)"
            .to_owned(),
        false => error.to_string(),
    }
}

fn capabilities() -> ServerCapabilities {
    let save = TextDocumentSyncSaveOptions::SaveOptions(SaveOptions { include_text: Some(false) });
    ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::FULL),
            save: Some(save),
            ..TextDocumentSyncOptions::default()
        })),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]),
            ..CodeActionOptions::default()
        })),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: vec![SUPPRESS.to_owned(), PROVE.to_owned()],
            ..ExecuteCommandOptions::default()
        }),
        ..ServerCapabilities::default()
    }
}

/// The folder that is open, and the settings.
#[allow(deprecated, reason = "older editors name the folder in the older ways")]
fn project(parameters: &InitializeParams) -> Project {
    let folders = parameters.workspace_folders.iter().flatten().map(|folder| &folder.uri);
    let root = folders.chain(&parameters.root_uri).find_map(path);
    let root = root.or_else(|| parameters.root_path.as_ref().map(PathBuf::from));
    let root = root.or_else(|| std::env::current_dir().ok()).unwrap_or_default();
    let settings = parameters.initialization_options.clone();
    let settings: Option<Settings> = settings.and_then(|settings| serde_json::from_value(settings).ok());
    Project::new(root, settings.unwrap_or_default())
}

/// A check under way.
struct Check {
    task: Task,
    scope: Scope,
    start: Instant,
    /// The name under which the editor shows that it is under way.
    progress: Option<NumberOrString>,
}

/// A request that waits for a run.
struct Question {
    request: RequestId,
    /// Never read; ends the run when it is dropped.
    _task: Task,
    about: About,
}

enum About {
    Contract { name: String, range: Range },
    Proof,
}

struct Server {
    connection: Connection,
    options: Options,
    project: Project,
    /// Whether the editor shows what is under way.
    shows_progress: bool,
    events: Sender<Event>,
    documents: Documents,
    shown: Shown,
    check: Option<Check>,
    /// What is still to be checked after the check that is under way.
    rest: VecDeque<Scope>,
    questions: BTreeMap<TaskId, Question>,
    /// Contracts that were asked for since the last save, by name; none for a name that is not known.
    contracts: BTreeMap<String, Option<String>>,
    /// Answers about statements, until their file is saved again.
    proofs: ByFile,
    tasks: u64,
}

impl Server {
    fn serve(&mut self, incoming: &Receiver<Event>) -> Result<(), String> {
        let mut leaving = false;
        while let Ok(event) = incoming.recv() {
            match event {
                Event::Message(Message::Request(request)) => match request.method.as_str() {
                    Shutdown::METHOD => {
                        leaving = true;
                        // Nothing that is under way is wanted any more.
                        self.stop_check("stopped");
                        self.questions.clear();
                        self.answer(request.id, ());
                    }
                    _ if leaving => {
                        let why = "the server is about to end".to_owned();
                        self.refuse(request.id, ErrorCode::InvalidRequest, why);
                    }
                    _ => self.request(request),
                },
                Event::Message(Message::Notification(notification)) => match notification.method.as_str() {
                    Exit::METHOD if leaving => return Ok(()),
                    Exit::METHOD => return Err("the editor left without saying goodbye".to_owned()),
                    _ if leaving => {}
                    _ => self.notification(notification),
                },
                // Answers to our own requests say nothing that matters.
                Event::Message(Message::Response(_)) => {}
                Event::Done(done) => self.done(done),
                Event::Gone if leaving => return Ok(()),
                Event::Gone => return Err("the editor went away without saying goodbye".to_owned()),
            }
        }
        Ok(())
    }

    fn notification(&mut self, notification: Notification) {
        match notification.method.as_str() {
            DidOpenTextDocument::METHOD => {
                let Some(DidOpenTextDocumentParams { text_document }) = read(notification.params) else {
                    return;
                };
                let Some(path) = path(&text_document.uri) else { return };
                self.documents.set(path.clone(), text_document.text);
                if self.shown.is_whole() {
                    self.publish(path.clone(), self.shown.of(&path));
                } else {
                    self.check_after(path);
                }
            }
            DidChangeTextDocument::METHOD => {
                let Some(parameters) = read::<DidChangeTextDocumentParams>(notification.params) else {
                    return;
                };
                // The whole text comes with every change.
                let text = parameters.content_changes.into_iter().last().map(|change| change.text);
                if let (Some(path), Some(text)) = (path(&parameters.text_document.uri), text) {
                    self.documents.set(path, text);
                }
            }
            DidSaveTextDocument::METHOD => {
                let Some(parameters) = read::<DidSaveTextDocumentParams>(notification.params) else { return };
                if let Some(path) = path(&parameters.text_document.uri) {
                    self.contracts.clear();
                    if self.proofs.remove(&path).is_some() {
                        self.publish(path.clone(), self.shown.of(&path));
                    }
                    self.check_after(path);
                }
            }
            DidCloseTextDocument::METHOD => {
                let Some(parameters) = read::<DidCloseTextDocumentParams>(notification.params) else {
                    return;
                };
                if let Some(path) = path(&parameters.text_document.uri) {
                    self.documents.close(&path);
                }
            }
            Cancel::METHOD => {
                let Some(CancelParams { id }) = read(notification.params) else { return };
                let id: RequestId = match id {
                    NumberOrString::Number(number) => number.into(),
                    NumberOrString::String(text) => text.into(),
                };
                let asked = self.questions.iter().find(|(_, question)| question.request == id);
                if let Some(question) =
                    asked.map(|(&task, _)| task).and_then(|task| self.questions.remove(&task))
                {
                    self.refuse(question.request, ErrorCode::RequestCanceled, "cancelled".to_owned());
                }
            }
            _ => {}
        }
    }

    fn request(&mut self, request: Request) {
        let Request { id, method, params } = request;
        match method.as_str() {
            HoverRequest::METHOD => match read(params) {
                Some(parameters) => self.hover(id, &parameters),
                None => self.unreadable(id),
            },
            CodeActionRequest::METHOD => match read(params) {
                Some(parameters) => {
                    let actions = self.code_actions(&parameters);
                    self.answer(id, actions);
                }
                None => self.unreadable(id),
            },
            ExecuteCommand::METHOD => match read(params) {
                Some(parameters) => self.command(id, parameters),
                None => self.unreadable(id),
            },
            _ => self.refuse(id, ErrorCode::MethodNotFound, format!("{method} is not known here")),
        }
    }

    /// Starts the checks that a new state of a file asks for; what was under way is out of date.
    fn check_after(&mut self, file: PathBuf) {
        self.stop_check("stopped: the file was saved again");
        self.rest = self.project.scopes(&file, !self.shown.is_whole()).into();
        self.next_check();
    }

    fn next_check(&mut self) {
        let Some(scope) = self.rest.pop_front() else { return };
        let arguments = self.project.check(&scope);
        let progress = self.begin_progress(format!("checking {}", self.name_of(&scope)));
        self.check = Some(Check { task: self.start(arguments), scope, start: Instant::now(), progress });
    }

    /// Ends the check that is under way, if there is one.
    fn stop_check(&mut self, why: &str) {
        if let Some(check) = self.check.take() {
            self.end_progress(check.progress, why.to_owned());
        }
    }

    /// What a check covers, in words.
    fn name_of(&self, scope: &Scope) -> String {
        match scope {
            Scope::File(file) => self.project.short(file).display().to_string(),
            Scope::Project => "the project".to_owned(),
        }
    }

    /// Tells the editor that something is under way, if it shows such things.
    fn begin_progress(&mut self, message: String) -> Option<NumberOrString> {
        if !self.shows_progress {
            return None;
        }
        let token = NumberOrString::String(format!("watertight/{}", self.tasks));
        self.ask::<WorkDoneProgressCreate>(WorkDoneProgressCreateParams { token: token.clone() });
        let begin = WorkDoneProgressBegin {
            title: "Watertight".to_owned(),
            message: Some(message),
            ..WorkDoneProgressBegin::default()
        };
        self.progress(token.clone(), WorkDoneProgress::Begin(begin));
        Some(token)
    }

    fn end_progress(&self, token: Option<NumberOrString>, message: String) {
        if let Some(token) = token {
            self.progress(token, WorkDoneProgress::End(WorkDoneProgressEnd { message: Some(message) }));
        }
    }

    fn progress(&self, token: NumberOrString, step: WorkDoneProgress) {
        self.notify::<Progress>(ProgressParams { token, value: ProgressParamsValue::WorkDone(step) });
    }

    fn start(&mut self, arguments: Vec<OsString>) -> Task {
        self.tasks += 1;
        let all = [&arguments[..1], &self.options.arguments, &arguments[1..]].concat();
        tasks::start(
            TaskId(self.tasks),
            &self.options.program,
            &all,
            &self.project.root,
            &self.events,
            Event::Done,
        )
    }

    fn done(&mut self, done: Done) {
        if let Some(question) = self.questions.remove(&done.task) {
            match question.about {
                About::Contract { name, range } => {
                    let text = contract(&done);
                    self.contracts.insert(name, text.clone());
                    self.answer(question.request, text.map(|text| hover(text, range)));
                }
                About::Proof => self.proved(question.request, &done),
            }
        } else if self.check.as_ref().is_some_and(|check| check.task.id == done.task)
            && let Some(check) = self.check.take()
        {
            let outcome = self.checked(&check, &done);
            self.end_progress(check.progress, outcome);
            self.next_check();
        }
    }

    /// Shows what a check has found, and says it in a few words.
    fn checked(&mut self, check: &Check, done: &Done) -> String {
        let took = check.start.elapsed().as_secs_f64();
        let what = self.name_of(&check.scope);
        match serde_json::from_slice::<Report>(&done.stdout) {
            Ok(report) => {
                let count = report.findings.len();
                self.log(MessageType::INFO, format!("checked {what} in {took:.2} s: {}", count_of(count)));
                let found = of_report(&report, &self.project.root, self.options.pages.as_deref());
                for (file, diagnostics) in self.shown.take(&check.scope, found) {
                    self.publish(file, diagnostics);
                }
                format!("{what}: {}", count_of(count))
            }
            Err(_) => {
                let why = done.stderr.trim();
                self.log(MessageType::ERROR, format!("cannot check {what}: {why}"));
                // A file that is not in the database is checked with the project; only the last word counts.
                if self.rest.is_empty() {
                    let first = why.lines().next().unwrap_or("no reason given");
                    self.notify::<ShowMessage>(ShowMessageParams {
                        typ: MessageType::ERROR,
                        message: format!("watertight cannot check {what}: {first}"),
                    });
                }
                format!("cannot check {what}")
            }
        }
    }

    /// Shows the answers about a statement in the text, and says the first that matters.
    fn proved(&mut self, request: RequestId, done: &Done) {
        let (typ, message) = match serde_json::from_slice::<Proofs>(&done.stdout) {
            Ok(proofs) => {
                for (file, diagnostics) in of_proofs(&proofs, &self.project.root) {
                    let lines: Vec<u32> = diagnostics.iter().map(|d| d.range.start.line).collect();
                    let known = self.proofs.entry(file.clone()).or_default();
                    known.retain(|d| !lines.contains(&d.range.start.line));
                    known.extend(diagnostics);
                    self.publish(file.clone(), self.shown.of(&file));
                }
                let probes = || proofs.functions.iter().flat_map(|function| &function.probes);
                let open = probes().find(|probe| probe.verdict != "proved");
                let typ = if open.is_some() { MessageType::WARNING } else { MessageType::INFO };
                let told = open.or_else(|| probes().next()).map(answer);
                (typ, told.unwrap_or_else(|| "no statement on this line can leak".to_owned()))
            }
            Err(_) => {
                let why = done.stderr.trim().lines().next().unwrap_or("no reason given");
                (MessageType::INFO, why.strip_prefix("watertight: ").unwrap_or(why).to_owned())
            }
        };
        self.notify::<ShowMessage>(ShowMessageParams { typ, message: message.clone() });
        self.answer(request, message);
    }

    fn publish(&self, file: PathBuf, mut diagnostics: Vec<lsp_types::Diagnostic>) {
        diagnostics.extend(self.proofs.get(&file).into_iter().flatten().cloned());
        if let Some(uri) = uri(&file) {
            self.notify::<PublishDiagnostics>(PublishDiagnosticsParams { uri, diagnostics, version: None });
        }
    }

    fn hover(&mut self, id: RequestId, parameters: &HoverParams) {
        let at = &parameters.text_document_position_params;
        let asked = path(&at.text_document.uri).and_then(|file| {
            let word = word(self.documents.text(&file)?, at.position)?;
            let is_function = word.called && !KEYWORDS.contains(&word.text);
            is_function.then(|| (file.clone(), word.text.to_owned(), word.range))
        });
        let Some((file, name, range)) = asked else { return self.answer(id, None::<Hover>) };
        if let Some(known) = self.contracts.get(&name) {
            let answer = known.clone().map(|text| hover(text, range));
            return self.answer(id, answer);
        }
        // The summary is that of the scope that the findings come from.
        let scope = if self.shown.is_whole() { Scope::Project } else { Scope::File(file) };
        let mut arguments: Vec<OsString> = ["summary", "--quiet", "--json"].map(OsString::from).into();
        arguments.push(name.clone().into());
        arguments.extend(self.project.inputs(&scope));
        let task = self.start(arguments);
        let question = Question { request: id, about: About::Contract { name, range }, _task: task };
        self.questions.insert(TaskId(self.tasks), question);
    }

    fn code_actions(&self, parameters: &CodeActionParams) -> Vec<CodeActionOrCommand> {
        let uri = &parameters.text_document.uri;
        let Some(text) = path(uri).and_then(|path| self.documents.text(&path)) else { return Vec::new() };
        let suppressions = actions::suppressions(uri, text, &parameters.context.diagnostics);
        let proof = actions::proof(uri, text, parameters.range.start.line);
        let suppressions = suppressions.into_iter().map(CodeActionOrCommand::CodeAction);
        suppressions.chain(proof.map(CodeActionOrCommand::Command)).collect()
    }

    fn command(&mut self, id: RequestId, parameters: ExecuteCommandParams) {
        let argument = parameters.arguments.into_iter().next().unwrap_or_default();
        match parameters.command.as_str() {
            SUPPRESS => {
                let Some(suppression) = read::<Suppression>(argument) else { return self.unreadable(id) };
                let text = path(&suppression.uri).and_then(|path| self.documents.text(&path));
                let edit = actions::edit(text.unwrap_or_default(), &suppression);
                let label = Some("Suppress a finding".to_owned());
                self.ask::<ApplyWorkspaceEdit>(ApplyWorkspaceEditParams { label, edit });
                self.answer(id, ());
            }
            PROVE => {
                let asked = read::<Statement>(argument)
                    .and_then(|statement| Some((path(&statement.uri)?, statement.line)));
                let Some((file, line)) = asked else { return self.unreadable(id) };
                let task = self.start(self.project.prove(&file, line.saturating_add(1)));
                let question = Question { request: id, about: About::Proof, _task: task };
                self.questions.insert(TaskId(self.tasks), question);
            }
            other => self.refuse(id, ErrorCode::InvalidParams, format!("there is no command {other}")),
        }
    }

    fn log(&self, typ: MessageType, message: String) {
        self.notify::<LogMessage>(LogMessageParams { typ, message });
    }

    fn notify<N: lsp_types::notification::Notification>(&self, parameters: N::Params) {
        self.send(Notification::new(N::METHOD.to_owned(), parameters).into());
    }

    fn ask<R: lsp_types::request::Request>(&mut self, parameters: R::Params) {
        self.tasks += 1;
        let id = RequestId::from(format!("watertight-{}", self.tasks));
        self.send(Request::new(id, R::METHOD.to_owned(), parameters).into());
    }

    fn answer(&self, id: RequestId, result: impl Serialize) {
        self.send(Response::new_ok(id, result).into());
    }

    fn refuse(&self, id: RequestId, code: ErrorCode, message: String) {
        self.send(Response::new_err(id, code as i32, message).into());
    }

    fn unreadable(&self, id: RequestId) {
        self.refuse(id, ErrorCode::InvalidParams, "these parameters cannot be read".to_owned());
    }

    fn send(&self, message: Message) {
        // An editor that no longer listens has closed the other direction too, which ends the loop.
        let _ = self.connection.sender.send(message);
    }
}

fn read<T: DeserializeOwned>(parameters: serde_json::Value) -> Option<T> {
    serde_json::from_value(parameters).ok()
}

fn count_of(findings: usize) -> String {
    match findings {
        0 => "no findings".to_owned(),
        1 => "1 finding".to_owned(),
        findings => format!("{findings} findings"),
    }
}

/// The contract that a run of `summary` printed, as markup; none for a name that is not known.
fn contract(done: &Done) -> Option<String> {
    let contracts: Vec<Contract> = serde_json::from_slice(&done.stdout).ok()?;
    let mut text = String::new();
    for contract in contracts {
        let from = match (&contract.place, &contract.model_file) {
            (Some(place), _) => format!(" ({place})"),
            (None, Some(file)) => format!(" (described by the models of `{file}`)"),
            (None, None) => String::new(),
        };
        text.push_str(&format!("**{}**{from}\n\n", contract.name));
        for sentence in &contract.does {
            text.push_str(&format!("- {}\n", escape(sentence)));
        }
        if !contract.behaviours.is_empty() {
            text.push_str(&format!("\nbehaviours: {}\n", contract.behaviours.join(", ")));
        }
        text.push('\n');
    }
    Some(text.trim_end().to_owned()).filter(|text| !text.is_empty())
}

/// Names of C contain underscores and stars, which markup would swallow.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '*' | '_' | '<' | '>' | '[' | ']' | '\\' | '#') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

fn hover(text: String, range: Range) -> Hover {
    let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value: text });
    Hover { contents, range: Some(range) }
}
