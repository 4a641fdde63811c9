// As much of the module `vscode` as the extension and the language client need, for a test without an editor. Documents are opened
// and diagnostics are read through `fake`. What is not needed is a class or a function that does nothing.
'use strict';

class Emitter {
  constructor() {
    this.listeners = new Set();
    this.event = (listener, self) => {
      const bound = self ? listener.bind(self) : listener;
      this.listeners.add(bound);
      return { dispose: () => this.listeners.delete(bound) };
    };
  }
  fire(value) {
    return Promise.all([...this.listeners].map((listener) => listener(value)));
  }
  dispose() {
    this.listeners.clear();
  }
}

class Disposable {
  constructor(dispose) {
    this.dispose = dispose;
  }
}

class Position {
  constructor(line, character) {
    Object.assign(this, { line, character });
  }
}

class Range {
  constructor(startLine, startCharacter, endLine, endCharacter) {
    if (typeof startLine === 'object') {
      Object.assign(this, { start: startLine, end: startCharacter });
    } else {
      this.start = new Position(startLine, startCharacter);
      this.end = new Position(endLine, endCharacter);
    }
  }
}

class Uri {
  constructor(path) {
    Object.assign(this, { scheme: 'file', authority: '', path, query: '', fragment: '', fsPath: path });
  }
  static file(path) {
    return new Uri(path);
  }
  static parse(text) {
    return new Uri(decodeURIComponent(text.replace(/^file:\/\//, '')));
  }
  toString() {
    return `file://${encodeURI(this.path)}`;
  }
  with() {
    return this;
  }
}

class Diagnostic {
  constructor(range, message, severity) {
    Object.assign(this, { range, message, severity });
  }
}

class CancellationTokenSource {
  constructor() {
    const emitter = new Emitter();
    this.token = { isCancellationRequested: false, onCancellationRequested: emitter.event };
  }
  cancel() {}
  dispose() {}
}

class CodeActionKind {
  constructor(value) {
    this.value = value;
  }
  append(part) {
    return new CodeActionKind(this.value ? `${this.value}.${part}` : part);
  }
}
CodeActionKind.Empty = new CodeActionKind('');
CodeActionKind.QuickFix = CodeActionKind.Empty.append('quickfix');

const changed = new Emitter();
const opened = new Emitter();
const settings = {};
const fake = { settings, messages: [], contracts: [], progress: [], diagnostics: new Map(), commands: new Map(), opened };
const nothing = () => new Disposable(() => {});
const never = new Emitter().event;
const output = () => ({
  name: 'output',
  append() {},
  appendLine: (line) => fake.contracts.push(line),
  replace() {},
  clear() {},
  show() {},
  hide() {},
  dispose() {},
});
const say = (message) => {
  fake.messages.push(message);
  return Promise.resolve(undefined);
};

/** A module whose missing members are classes that can be extended and called, or events that never come. */
function lenient(members) {
  return new Proxy(members, {
    get(target, name) {
      if (name in target || typeof name === 'symbol') {
        return target[name];
      }
      if (/^on[A-Z]/.test(name)) {
        return never;
      }
      if (/^(register|create)/.test(name)) {
        return nothing;
      }
      target[name] = class {};
      return target[name];
    },
  });
}

const configuration = (section) => ({
  get: (name, otherwise) => settings[section ? `${section}.${name}` : name] ?? otherwise,
  has: (name) => `${section}.${name}` in settings,
  inspect: () => undefined,
});

module.exports = lenient({
  fake,
  version: '1.82.0',
  Disposable,
  EventEmitter: Emitter,
  Position,
  Range,
  Uri,
  Diagnostic,
  CancellationTokenSource,
  CodeActionKind,
  DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 },
  DiagnosticRelatedInformation: class {
    constructor(location, message) {
      Object.assign(this, { location, message });
    }
  },
  Location: class {
    constructor(uri, range) {
      Object.assign(this, { uri, range });
    }
  },
  ProgressLocation: { SourceControl: 1, Window: 10, Notification: 15 },
  env: lenient({ appName: 'test', language: 'en' }),
  extensions: lenient({ getExtension: () => undefined, all: [] }),
  workspace: lenient({
    workspaceFolders: [],
    textDocuments: [],
    notebookDocuments: [],
    isTrusted: true,
    getConfiguration: configuration,
    getWorkspaceFolder: () => undefined,
    onDidChangeConfiguration: changed.event,
    onDidOpenTextDocument: opened.event,
    applyEdit: (edit) => {
      fake.edits = (fake.edits ?? []).concat(edit);
      return Promise.resolve(true);
    },
  }),
  window: lenient({
    activeTextEditor: undefined,
    visibleTextEditors: [],
    tabGroups: { all: [], onDidChangeTabs: never, onDidChangeTabGroups: never },
    createOutputChannel: output,
    showInformationMessage: say,
    showWarningMessage: say,
    showErrorMessage: say,
    withProgress: (options, work) =>
      work({ report: (step) => fake.progress.push(step.message) }, new CancellationTokenSource().token),
  }),
  commands: lenient({
    registerCommand: (name, action) => {
      if (fake.commands.has(name)) {
        throw new Error(`command '${name}' already exists`);
      }
      fake.commands.set(name, action);
      return new Disposable(() => fake.commands.delete(name));
    },
  }),
  languages: lenient({
    match: (selector, document) => (document.languageId === 'c' ? 10 : 0),
    getDiagnostics: (uri) => fake.diagnostics.get(uri.toString()) ?? [],
    createDiagnosticCollection: () => ({
      set: (uri, list) => fake.diagnostics.set(uri.toString(), list ?? []),
      delete: (uri) => fake.diagnostics.delete(uri.toString()),
      clear: () => fake.diagnostics.clear(),
      dispose() {},
      forEach() {},
    }),
  }),
});
