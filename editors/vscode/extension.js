// The client for VS Code: starts `watertight lsp`, passes the settings on, and adds commands to the palette.
// Everything else (diagnostics, hover, code actions, progress) the language client does by itself.
'use strict';

const vscode = require('vscode');
const { LanguageClient, TransportKind } = require('vscode-languageclient/node');

/** Settings that need a new server when they change. */
const SECTION = 'watertight';

let client;
let contracts;

/** How the server is started, from the settings of the user. */
function serverOptions(settings) {
  const args = ['lsp'];
  const clang = settings.get('clang', '');
  if (clang) {
    args.push('--clang', clang);
  }
  return { command: settings.get('path', 'watertight'), args, transport: TransportKind.stdio };
}

/** What the server is told when it starts. */
function initializationOptions(settings) {
  return {
    compileDatabase: settings.get('compileDatabase', '') || null,
    flags: settings.get('flags', []),
    checkArguments: settings.get('checkArguments', []),
  };
}

async function start() {
  const settings = vscode.workspace.getConfiguration(SECTION);
  const options = serverOptions(settings);
  // The language client adds `--stdio`, which the server understands.
  client = new LanguageClient(SECTION, 'Watertight', options, {
    documentSelector: [{ scheme: 'file', language: 'c' }],
    initializationOptions: initializationOptions(settings),
  });
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    const why = error instanceof Error ? error.message : String(error);
    vscode.window.showErrorMessage(
      `Watertight cannot start \`${options.command}\`: ${why}. Install watertight, or name it in the setting "watertight.path".`,
    );
  }
}

async function stop() {
  const running = client;
  client = undefined;
  if (running) {
    await running.stop();
  }
}

/** The editor at hand, if it shows C and the server runs. */
function editor() {
  const active = vscode.window.activeTextEditor;
  if (!client || !active || active.document.languageId !== 'c') {
    vscode.window.showInformationMessage('Watertight: open a C file first.');
    return undefined;
  }
  return active;
}

/** Asks the server whether the statement at the cursor can leak; the server shows the answer itself. */
async function proveStatement() {
  const active = editor();
  if (!active) {
    return undefined;
  }
  const uri = client.code2ProtocolConverter.asUri(active.document.uri);
  const argument = { uri, line: active.selection.active.line };
  return client.sendRequest('workspace/executeCommand', { command: 'watertight.prove', arguments: [argument] });
}

/** Shows what the function at the cursor does with memory and other resources. */
async function showContract() {
  const active = editor();
  if (!active) {
    return undefined;
  }
  const uri = client.code2ProtocolConverter.asUri(active.document.uri);
  const position = client.code2ProtocolConverter.asPosition(active.selection.active);
  const hover = await client.sendRequest('textDocument/hover', { textDocument: { uri }, position });
  if (!hover) {
    vscode.window.showInformationMessage('Watertight: put the cursor on the name of a function in a call.');
    return undefined;
  }
  // An output has no markup.
  const text = hover.contents.value.replace(/\\([*_<>[\]\\#])/g, '$1').replace(/\*\*/g, '');
  contracts.appendLine(text);
  contracts.appendLine('');
  contracts.show(true);
  return text;
}

/** Asks for the reason, and writes it in a comment above the finding at the cursor. */
async function suppressFinding() {
  const active = editor();
  if (!active) {
    return undefined;
  }
  const line = active.selection.active.line;
  const here = vscode.languages
    .getDiagnostics(active.document.uri)
    .filter((one) => one.source === SECTION && one.range.start.line === line && one.code);
  if (here.length === 0) {
    vscode.window.showInformationMessage('Watertight: there is no finding on this line.');
    return undefined;
  }
  const reason = await vscode.window.showInputBox({ prompt: `Why is "${here[0].message}" no defect?` });
  if (!reason) {
    return undefined;
  }
  const uri = client.code2ProtocolConverter.asUri(active.document.uri);
  const code = here[0].code;
  const rule = typeof code === 'object' ? String(code.value) : String(code);
  const argument = { uri, line, rule, reason };
  return client.sendRequest('workspace/executeCommand', { command: 'watertight.suppress', arguments: [argument] });
}

async function activate(context) {
  contracts = vscode.window.createOutputChannel('Watertight Contracts');
  const register = (name, action) => context.subscriptions.push(vscode.commands.registerCommand(name, action));
  register('watertight.proveStatement', proveStatement);
  register('watertight.showContract', showContract);
  register('watertight.suppressFinding', suppressFinding);
  const restart = async () => {
    await stop();
    await start();
  };
  register('watertight.restart', restart);
  context.subscriptions.push(
    contracts,
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (['path', 'clang', 'compileDatabase', 'flags', 'checkArguments'].some((name) => event.affectsConfiguration(`${SECTION}.${name}`))) {
        return restart();
      }
      return undefined;
    }),
  );
  await start();
}

module.exports = { activate, deactivate: stop };
