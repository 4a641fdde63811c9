// Starts the extension with the real language client against a real server: `node test/start.js WATERTIGHT`.
//
// The manifest is held against the code: commands that it names are registered, settings that the code reads are declared. Then a C
// file with a leak is opened, the finding must arrive with its path and the link to its rule, and each command must do what it says.
'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const Module = require('node:module');

const root = path.dirname(__dirname);
const fakePath = path.join(__dirname, 'vscode.js');
const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, ...rest) {
  return request === 'vscode' ? fakePath : resolve.call(this, request, ...rest);
};
const vscode = require('vscode');
const extension = require('../extension.js');

const { fake } = vscode;
const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));

const SOURCE = `#include <stdlib.h>
int length(int n) {
    char *block = malloc(16);
    if (n == 3)
        return -1;
    free(block);
    return 0;
}
`;

async function until(what, condition) {
  for (let i = 0; i < 600; i++) {
    if (condition()) {
      return;
    }
    await new Promise((wake) => setTimeout(wake, 100));
  }
  throw new Error(`${what} did not happen; messages: ${JSON.stringify(fake.messages)}`);
}

function document(file, text) {
  const lines = text.split('\n');
  return {
    uri: vscode.Uri.file(file),
    fileName: file,
    languageId: 'c',
    version: 1,
    lineCount: lines.length,
    isDirty: false,
    isClosed: false,
    getText: () => text,
    lineAt: (line) => ({ text: lines[line] }),
  };
}

async function main() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'watertight-vscode-'));
  const file = path.join(folder, 'a.c');
  fs.writeFileSync(file, SOURCE);
  const properties = manifest.contributes.configuration.properties;
  for (const [name, { default: value }] of Object.entries(properties)) {
    fake.settings[name] = value;
  }
  // Whoever chooses the program to run is the user, not the folder that is open.
  for (const name of ['watertight.path', 'watertight.clang']) {
    assert.strictEqual(properties[name].scope, 'machine');
  }
  const code = fs.readFileSync(path.join(root, 'extension.js'), 'utf8');
  for (const [, name] of code.matchAll(/settings\.get\('(\w+)'/g)) {
    assert.ok(`watertight.${name}` in properties, `the setting watertight.${name} is not declared`);
  }
  process.chdir(folder);

  // A program that is not there is a message, not a failure of the extension.
  const context = { subscriptions: [] };
  fake.settings['watertight.path'] = path.join(folder, 'no-such-program');
  await extension.activate(context);
  await until('the message about the program', () => fake.messages.some((message) => /watertight\.path/.test(message)));

  fake.settings['watertight.path'] = process.argv[2] ?? 'watertight';
  vscode.workspace.workspaceFolders.push({ uri: vscode.Uri.file(folder), name: 'folder', index: 0 });
  const opened = document(file, SOURCE);
  vscode.workspace.textDocuments.push(opened);
  await fake.commands.get('watertight.restart')();
  for (const { command } of manifest.contributes.commands) {
    assert.ok(fake.commands.has(command), `${command} is not registered`);
  }
  // The client offers the commands of the server under their own names.
  assert.ok(fake.commands.has('watertight.prove') && fake.commands.has('watertight.suppress'));

  const found = () => fake.diagnostics.get(opened.uri.toString()) ?? [];
  await until('the finding', () => found().length > 0);
  const [finding] = found();
  assert.strictEqual(finding.source, 'watertight');
  assert.strictEqual(finding.range.start.line, 2);
  assert.strictEqual(finding.code.value, 'memory-leak');
  assert.match(fs.readFileSync(finding.code.target.fsPath, 'utf8'), /^# Memory leak/);
  assert.ok(finding.relatedInformation.length >= 2, 'the path is there');
  await until('progress', () => fake.progress.some((message) => /^checking a\.c/.test(message ?? '')));

  const at = (line, character) => {
    vscode.window.activeTextEditor = { document: opened, selection: { active: new vscode.Position(line, character) } };
  };
  at(2, 20);
  const contract = await fake.commands.get('watertight.showContract')();
  assert.match(contract, /malloc/);
  assert.ok(fake.contracts.includes(contract));
  at(7, 0);
  const proof = await fake.commands.get('watertight.proveStatement')();
  assert.match(proof, /violated|unknown|proved/);
  at(0, 0);
  assert.strictEqual(await fake.commands.get('watertight.suppressFinding')(), undefined);
  assert.match(fake.messages.at(-1), /no finding on this line/);
  vscode.window.activeTextEditor = undefined;
  await fake.commands.get('watertight.showContract')();
  assert.match(fake.messages.at(-1), /open a C file/);

  await extension.deactivate();
  fs.rmSync(folder, { recursive: true });
  console.log('the extension starts, shows findings, and its commands answer');
}

main().then(
  () => process.exit(0),
  (error) => {
    console.error(error);
    process.exit(1);
  },
);
