import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import type { DecidedCallFacts } from '../../src/host/consent/facts/callFacts';
import { RuleBook } from '../../src/host/consent/rules/ruleBook';
import type { RuleSources } from '../../src/host/consent/rules/rule';
import { settings } from '../../src/ids';
import { RuleSettings } from '../../src/ui/settings/settings';
import { showRuleProblems } from '../../src/ui/consent/rules/ruleDiagnostics';
import { readRules } from '../../src/ui/consent/rules/ruleDocuments';
import { RuleCompletions } from '../../src/ui/consent/rules/ruleCompletions';
import { RuleTrial } from '../../src/ui/consent/rules/ruleTrial';
import { formatRulePlace, formatRule } from '../../src/ui/format/formatRule';
import { annotated, serverOf, toolOf } from '../host/treeFixtures';
import { eventually } from '../waiting';

const key = `${settings.section}.${settings.rules}`;

const set = (value: unknown, target: vscode.ConfigurationTarget) =>
  vscode.workspace.getConfiguration(settings.section).update(settings.rules, value, target);
const { Global, Workspace } = vscode.ConfigurationTarget;
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('Rules in settings', () => {
  let file: string;
  const disposables: vscode.Disposable[] = [];

  before(() => {
    const folder = vscode.workspace.workspaceFolders?.[0] ?? assert.fail();
    file = path.join(folder.uri.fsPath, '.vscode', 'settings.json');
  });
  afterEach(async () => {
    for (const disposable of disposables.splice(0)) disposable.dispose();
    // A setting cannot be written while its document has changes, active or not.
    for (const document of vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty)) {
      await vscode.window.showTextDocument(document);
      await vscode.commands.executeCommand('workbench.action.files.revert');
    }
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await set(undefined, Global);
    await set(undefined, Workspace);
    await rm(file, { force: true });
  });

  async function open(rules: string): Promise<vscode.TextDocument> {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, `{\n  // Ours\n  "${key}": ${rules}\n}\n`);
    const document = await vscode.workspace.openTextDocument(file);
    await vscode.window.showTextDocument(document);
    // One that was open a moment ago reads its file again a little later.
    await eventually(
      () => document.getText(),
      (text) => text.includes(rules),
    );
    return document;
  }

  it('are read by scope, and again when one of them changes', async () => {
    let sources: RuleSources | undefined;
    disposables.push(new RuleSettings((now) => (sources = now)));
    const now = () => plain(sources);
    assert.deepEqual(now(), { folders: [] });
    const user = [{ effect: 'allow', tool: 'read_*' }];
    await set(user, Global);
    await eventually(now, () => sources?.user !== undefined);
    const workspace = [{ effect: 'deny' }];
    await set(workspace, Workspace);
    await eventually(now, () => sources?.workspace !== undefined);
    assert.deepEqual(now(), { user, workspace, folders: [] });
    await set(undefined, Workspace);
    await eventually(now, () => sources?.workspace === undefined);
    assert.deepEqual(now(), { user, folders: [] });
  });

  it('have their problems at their place, before they are saved, too', async () => {
    const nothingChanges = () => new vscode.Disposable(() => undefined);
    const slow = { slowPatterns: new Set(['^(a+)+$']), onDidFindSlow: nothingChanges };
    disposables.push(showRuleProblems({ servers: [], onDidChange: nothingChanges }, slow));
    const document = await open(
      '[{ "effect": "allow" }, { "effect": "deny", "tol": "x", "when": { "/a": {}, "/b": { "matches": "^(a+)+$" } } }]',
    );
    const told = (): string[] => [
      ...new Set(
        vscode.languages
          .getDiagnostics(document.uri)
          .filter(({ source }) => source === 'Toolgate')
          .map(
            ({ code, range, severity }) =>
              `${typeof code === 'string' ? code : '?'} ${document.getText(range)} ${severity}`,
          ),
      ),
    ];
    assert.deepEqual(await eventually(told, ({ length }) => length === 4), [
      'allowIgnored "allow" 1',
      'unknownKey "tol" 0',
      'invalidCondition "/a" 0',
      'slowRegex "^(a+)+$" 0',
    ]);
    const [ignored] = vscode.languages
      .getDiagnostics(document.uri)
      .filter(({ code }) => code === 'allowIgnored');
    assert.match(ignored?.message ?? '', /^Ignored because only user settings can allow calls\./);
    const edit = new vscode.WorkspaceEdit();
    const whole = new vscode.Range(0, 0, document.lineCount, 0);
    edit.replace(document.uri, whole, `{ "${key}": [{ "effect": "deny", "server": "no*" }] }`);
    await vscode.workspace.applyEdit(edit);
    assert.deepEqual(await eventually(told, (all) => all.length === 1), ['noSuchServer "no*" 2']);
  });

  it('belong to the scope of their document, or to none', async () => {
    const document = await open('[]');
    assert.deepEqual(readRules(document)?.scope, { scope: 'workspace' });
    const text = document.getText(readRules(document)?.keyRange);
    assert.equal(text, `"${key}"`);
    const other = await vscode.workspace.openTextDocument({
      language: 'jsonc',
      content: `{"${key}": 1}`,
    });
    assert.equal(readRules(other), undefined);
    await vscode.commands.executeCommand('workbench.action.openSettingsJson');
    // The command is over before the extension host knows the editor.
    const shown = (): vscode.Uri | undefined => {
      const input: unknown = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
      return input instanceof vscode.TabInputText ? input.uri : undefined;
    };
    const uri = await eventually(shown, (it) => it?.path.endsWith('/settings.json') === true);
    assert.ok(uri !== undefined);
    const scope = readRules(await vscode.workspace.openTextDocument(uri))?.scope;
    assert.deepEqual(scope, { scope: 'user' });
  });

  const call: DecidedCallFacts = {
    at: Date.UTC(2026, 0, 2),
    server: 'files',
    tool: 'read_\u202efile',
    risk: { level: 'readOnly', openWorld: false, idempotent: true },
    decision: 'allow',
    ruleEffect: 'allow',
  };

  it('are tried on past calls from the unsaved editor, and change nothing', async () => {
    const book = new RuleBook({ placeOfPath: () => Promise.resolve('inside') });
    disposables.push(book);
    const unsaid: DecidedCallFacts = { ...call, tool: 'write', ruleEffect: 'ask' };
    const trial = new RuleTrial({ book, pastCalls: () => Promise.resolve([call, unsaid]) });
    disposables.push(trial);
    const document = await open('[]');
    const edit = new vscode.WorkspaceEdit();
    const rules = [
      { effect: 'ask', tool: 'write' },
      { effect: 'deny', tool: 'read_*', reason: 'No [more](command:x)' },
      { effect: 'deny', tool: 'write', when: { '/a': { exists: true } } },
    ];
    const whole = new vscode.Range(0, 0, document.lineCount, 0);
    edit.replace(document.uri, whole, JSON.stringify({ [key]: rules }));
    await vscode.workspace.applyEdit(edit);
    await trial.run(document.uri.toString());
    const shown = vscode.window.activeTextEditor?.document ?? assert.fail();
    const lines = shown.getText().split('\n');
    assert.deepEqual(lines.slice(0, 6), [
      'Rules on past calls',
      '',
      'The rules in “settings.json”, not saved yet',
      'Past calls examined: 2',
      'Calls that the rules treat differently: 1',
      'Unknown for: 1',
    ]);
    assert.deepEqual(lines.slice(9), [
      'Changes',
      '',
      '2026-01-02T00:00:00.000Z  “read_\\u{202E}file” on “files” (read-only)',
      '    Recorded: allow',
      '    Rules: allow → deny',
      '    Rule 2 in the settings of this workspace: deny — “No [more] (command:x)”',
      '',
      'Unknown: arguments were not recorded',
      '',
      '2026-01-02T00:00:00.000Z  “write” on “files” (read-only)',
      '    Recorded: allow',
      '    Rules: ask → unknown',
      '    Rule 3 in the settings of this workspace: deny',
      '',
      'Matches of Each Rule',
      '',
      'Rule 1 in the settings of this workspace: ask',
      '    Calls: 1',
      '    2026-01-02T00:00:00.000Z  “write” on “files” (read-only)',
      '',
      'Rule 2 in the settings of this workspace: deny — “No [more] (command:x)”',
      '    Calls: 1',
      '    2026-01-02T00:00:00.000Z  “read_\\u{202E}file” on “files” (read-only)',
      '',
      'Rule 3 in the settings of this workspace: deny',
      '    Calls: 0',
      '    Calls that it may match: 1',
      '',
    ]);
    assert.equal(document.isDirty, true);
    assert.equal(readRuleValue(), undefined);
  });

  it('have completions for names of servers and tools', async () => {
    const tools = [annotated('read', { readOnlyHint: true }), toolOf('read_\u202e')];
    const servers = [serverOf('notes', tools), serverOf('shop', [toolOf('sell')])];
    const completions = new RuleCompletions({ servers });
    const proposedAt = async (rule: string): Promise<unknown[]> => {
      const before = `{"${key}": [{ ${rule}`;
      const content = `${before.replace('|', '')} }] }`;
      const document = await vscode.workspace.openTextDocument({ language: 'jsonc', content });
      const at = document.positionAt(before.indexOf('|'));
      return completions
        .provideCompletionItems(document, at)
        .map(({ label, detail, range }) => [
          label,
          detail,
          range instanceof vscode.Range ? document.getText(range) : '?',
        ]);
    };
    assert.deepEqual(await proposedAt('"server": "no*", "tool": "|x"'), [
      ['"read"', 'notes · read-only', '"x"'],
    ]);
    assert.deepEqual(await proposedAt('"server": "|"'), [
      ['"notes"', 'Setting "toolgate.servers"', '""'],
      ['"shop"', 'Setting "toolgate.servers"', '""'],
    ]);
    assert.deepEqual(await proposedAt('"reason": "|"'), []);
  });

  const readRuleValue = (): unknown =>
    vscode.workspace.getConfiguration(settings.section).inspect<unknown[]>(settings.rules)
      ?.workspaceValue?.[0];

  it('are described by their place and their reason', () => {
    assert.equal(formatRulePlace({ scope: 'user', index: 1 }), 'Rule 2 in your user settings');
    assert.equal(
      formatRulePlace({ scope: 'folder', folder: '/w/a\u202e', index: 0 }),
      'Rule 1 in the settings of the folder “a\\u{202E}”',
    );
    assert.equal(
      formatRule({
        effect: 'deny',
        place: { scope: 'workspace', index: 0 },
        isReadStrictly: true,
        reason: 'a\nb',
      }),
      'Rule 1 in the settings of this workspace: deny (part of it cannot be read, so its strictest meaning applies) — “a\\nb”',
    );
  });
});
