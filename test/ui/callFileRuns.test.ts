import assert from 'node:assert/strict';
import { rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { readCallFile } from '../../src/core/callFiles/parseCallFile';
import {
  commands,
  internalCommands,
  reportScheme,
  runAllScheme,
  scheme,
  settings,
} from '../../src/ids';
import type { ScriptedServer } from '../servers/scripted';
import { eventually, untilEvent } from '../waiting';
import { assertEach } from '../assertions';
import { pressStart, type SeenDialog } from './dialogs';
import { lensTitles, fixesOf } from './lenses';
import { proposalsAt } from './proposals';
import { accept, pressingKey } from './pressingKeys';
import { run, set, useWindow } from './realWindow';

function pressRun(dialog: SeenDialog): string | undefined {
  return pressStart(dialog) ?? (dialog.buttons.includes('Run') ? 'Run' : undefined);
}

/** Has one tool that asks the user, and answers with what it was told. */
function asking(server: ScriptedServer): void {
  const inputSchema = {
    type: 'object',
    properties: { message: { type: 'string' } },
    required: ['message'],
  };
  server.tools = [{ name: 'ask', inputSchema }];
  server.on('tools/call', (message) => {
    const given: unknown = Reflect.get(Object(message.params?.['arguments']), 'message');
    if (typeof given !== 'string') return server.fail(message, -32602, 'no message');
    const size = { type: 'number' };
    const requestedSchema = { type: 'object', properties: { size } };
    server.on('answer', ({ result: told }) =>
      server.reply(message, { content: [], structuredContent: { told } }),
    );
    server.send({
      id: 'q',
      method: 'elicitation/create',
      params: { message: given, requestedSchema },
    });
    return undefined;
  });
}

/** The arguments that a question shows. */
const argumentsOf = ({ detail }: SeenDialog): unknown => JSON.parse(detail.split('\n\n', 1).join());

/** In the real extension, with the real demo server. */
describe('A run of a call file', () => {
  const { extension, answers, dialogs } = useWindow({
    press: pressRun,
    servers: (real) => ({ demo: real.demoEntry() }),
  });
  const made: string[] = [];

  beforeEach(async () => {
    dialogs.press = pressRun;
    dialogs.seen.length = 0;
    answers.told.length = 0;
    answers.boxes.length = 0;
    answers.pick = undefined;
    answers.press = () => undefined;
    await set(settings.rules, undefined);
    await set(settings.startServers, undefined);
  });
  after(async () => {
    await set(settings.rules, undefined);
    await set(settings.startServers, undefined);
    await set(settings.environments, undefined);
    for (const file of made) await rm(file, { force: true });
  });

  async function open(content: object, { name = `run-${made.length}.mcpcall`, indent = 2 } = {}) {
    const file = path.join(extension.folder, name);
    made.push(file);
    await writeFile(file, JSON.stringify(content, undefined, indent));
    const document = await vscode.workspace.openTextDocument(file);
    await vscode.window.showTextDocument(document, { preview: false });
    return document;
  }

  const weather = (place: unknown, more: object = {}) => ({
    server: 'demo',
    tool: 'look_up_weather',
    arguments: { place },
    ...more,
  });

  const lensesOf = ({ uri }: vscode.TextDocument): Promise<string[]> => lensTitles(uri);
  const outcomes = async (document: vscode.TextDocument): Promise<string[]> =>
    (await lensesOf(document)).filter((title) => /^[✓✗⊘]/.test(title));

  it('uses values of any type from the selected environment', async () => {
    await set(settings.environments, {
      north: { town: 'Oslo', tall: 12 },
      south: { town: 'Rome' },
    });
    const document = await open({
      calls: {
        one: weather('${var:town} and ${var:town}'),
        two: {
          server: 'demo',
          tool: 'plant_note',
          arguments: { name: 'v', text: '$${var:town}', heightCm: '${var:tall}' },
        },
      },
    });
    await run(commands.runFileCall, document.uri, 'one');
    const chosen = 'No environment is selected for “town”.';
    assert.match(answers.told.at(-1) ?? '', new RegExp(`^Not sent. ${chosen}`));
    answers.pick = 'south';
    await run(commands.selectEnvironment);
    assert.deepEqual(answers.listed, ['north', 'south', 'No Environment']);
    await run(commands.runFileCall, document.uri, 'one');
    await run(commands.runFileCall, document.uri, 'two');
    const missing = 'Not sent. The environment “south” has no “tall”.';
    assert.equal(answers.told.at(-1), missing);
    answers.pick = 'north';
    await run(commands.selectEnvironment);
    await run(commands.runFileCall, document.uri, 'two');
    assert.deepEqual(dialogs.seen.map(argumentsOf), [
      { place: 'Rome and Rome' },
      { name: 'v', text: '${var:town}', heightCm: 12 },
    ]);
    answers.pick = 'No Environment';
    await run(commands.selectEnvironment);
  });

  it('offers the environments before Run All, if the file needs one', async () => {
    await set(settings.environments, { north: { town: 'Oslo' }, south: { town: 'Rome' } });
    await set(settings.rules, [{ effect: 'allow', server: 'demo', tool: 'look_up_weather' }]);
    const calls = { one: weather('${var:town}'), two: weather('Bern') };
    const document = await open({ calls });
    const untilChosen = (name: string) =>
      eventually(
        async () =>
          (await lensesOf(document)).filter((title) => title.startsWith('$(server-environment)')),
        (titles) => titles.join() === `$(server-environment)\u00A0${name}`,
      );
    await untilChosen('No Environment');
    await run(commands.runCallFile, document.uri);
    assert.deepEqual(answers.listed, ['north', 'south', 'No Environment']);
    assert.deepEqual([await outcomes(document), answers.told], [[], []]);
    answers.pick = 'No Environment';
    await run(commands.runCallFile, document.uri);
    assert.match(answers.told.join('\n'), /Not sent\. No environment is selected/);
    answers.pick = 'south';
    await run(commands.runCallFile, document.uri);
    assert.match(answers.told.at(-1) ?? '', /All calls in the file passed: 2/);
    await untilChosen('south');
    answers.listed = [];
    await run(commands.runCallFile, document.uri);
    assert.deepEqual(answers.listed, []);
    assert.deepEqual((await lensesOf(await open({ calls: { two: calls.two } }))).length, 3);
    answers.pick = 'No Environment';
    await run(commands.selectEnvironment);
  });

  it('cleans up with the answers of this run, not of an earlier one', async () => {
    await set(settings.rules, [{ effect: 'allow', server: 'demo' }]);
    const content = {
      calls: { one: weather('Oslo'), two: weather('Rome') },
      after: { drop: weather('${calls.two.content./0/text}') },
    };
    const document = await open(content);
    await run(commands.runCallFile, document.uri);
    assert.deepEqual(answers.told, ['All calls in the file passed: 3.']);
    const unmet = { ...content.calls.one, expect: { isError: true } };
    const edit = new vscode.WorkspaceEdit();
    const text = JSON.stringify({ ...content, calls: { ...content.calls, one: unmet } });
    edit.replace(document.uri, new vscode.Range(0, 0, 99, 0), text);
    await vscode.workspace.applyEdit(edit);
    await run(commands.runCallFile, document.uri);
    const { message } = { message: answers.told.join('\n') };
    assert.match(message, /Not sent\. Run “two” first: /);
    await run('workbench.action.revertAndCloseActiveEditor');
  });

  it('asks about values of environment variables, even if calls are allowed', async () => {
    await set(settings.rules, [{ effect: 'allow', server: 'demo', tool: 'look_up_weather' }]);
    const document = await open({ calls: { a: weather('Oslo'), b: weather('${env:HOME}') } });
    await run(commands.runFileCall, document.uri, 'a');
    assert.equal(dialogs.seen.length, 0);
    dialogs.press = () => undefined;
    await run(commands.runFileCall, document.uri, 'b');
    assert.deepEqual(dialogs.seen.map(argumentsOf), [{ place: process.env['HOME'] }]);
    assert.match(
      dialogs.seen[0]?.detail ?? '',
      /The call file uses values from other places: environment variables/,
    );
    assert.equal(dialogs.seen[0]?.buttons.includes('Allow…'), false);
  });

  it('answers questions of its server after a question that shows the answers, even if calls are allowed', async () => {
    await set(settings.rules, [{ effect: 'allow' }]);
    await extension.configure({
      demo: extension.demoEntry(),
      quiz: extension.scriptedEntry(asking),
    });
    await extension.api.start('quiz');
    dialogs.seen.length = 0;
    const asked = (message: string, rest: object = {}) => ({
      server: 'quiz',
      tool: 'ask',
      arguments: { message },
      expect: { values: { '/structuredContent/told': { action: 'accept', content: { size: 4 } } } },
      ...rest,
    });
    const document = await open({
      calls: {
        fits: asked('Which size?', { answers: [{ question: 'size', content: { size: 4 } }] }),
        none: asked('Delete all?', { answers: [{ question: 'size', content: { size: 4 } }] }),
        asIs: asked('', { arguments: {}, send: 'asIs', expect: { error: { code: -32602 } } }),
      },
    });
    await run(commands.runFileCall, document.uri, 'fits');
    const { detail = '', buttons = [] } = dialogs.seen[0] ?? {};
    assert.match(
      detail,
      /Answers to server questions, given without asking you:\n“size”: \{"size":4\}/,
    );
    assert.match(detail, /The call file answers server questions for you\./);
    assert.equal(buttons.includes('Allow…'), false);
    await run(commands.runFileCall, document.uri, 'none');
    const unanswered = 'The call has no answer for this question: Delete all?';
    assert.ok(answers.told.at(-1)?.includes(unanswered), answers.told.at(-1));
    await run(commands.runFileCall, document.uri, 'asIs');
    assert.equal(dialogs.seen.length, 2);
    assertEach(await outcomes(document), (title) => title.slice(0, 1), ['✓', '✗', '✓']);
    await extension.configure({ demo: extension.demoEntry() });
  });

  it('stops at a call that a rule denies, and says which call and what was not run', async () => {
    const allow = { effect: 'allow', server: 'demo' };
    await set(settings.rules, [allow, { effect: 'deny', tool: 'list_notes', reason: 'Not today' }]);
    const list = { server: 'demo', tool: 'list_notes' };
    const document = await open({
      calls: { first: weather('Oslo'), second: list, third: weather('Rome') },
    });
    await run(commands.runCallFile, document.uri);
    assert.equal(dialogs.seen.length, 0);
    assert.deepEqual(answers.told, [
      '“list_notes” was not called. Rule 2 in your user settings denies it: “Not today”.',
      '1 of 3 calls passed. “second” ended the run: not called. Not run: “third”.',
    ]);
    const [first = '', second] = await outcomes(document);
    assert.match(first, /^✓/);
    assert.equal(second, '⊘ not called');
  });

  it('reads resources without a question, opens the content of one, and sends no value from outside the file', async () => {
    const garden = { server: 'demo', resource: 'demo://garden/guide.md' };
    const expect = { values: { '/content/0/type': 'resource' } };
    const document = await open({
      calls: {
        plan: { ...garden, expect },
        home: { ...garden, resource: 'demo://garden/${env:HOME}' },
        prompt: { server: 'demo', prompt: 'plant', arguments: { name: 'rose' } },
      },
    });
    await run(commands.runFileCall, document.uri, 'plan');
    const { activeTextEditor } = vscode.window;
    assert.equal(activeTextEditor?.document.uri.scheme, reportScheme);
    assert.match(activeTextEditor.document.getText(), /"uri": "demo:\/\/garden\/guide\.md"/);
    await run(commands.runCallFile, document.uri);
    assert.equal(dialogs.seen.length, 0);
    const refused = 'Resources and prompts are read only if all values are in the file.';
    assert.equal(answers.told[0], `Not sent. ${refused}`);
    assert.match(answers.told[1] ?? '', /^1 of 3 calls passed. “home” ended the run/);
    await run(commands.runFileCall, document.uri, 'prompt');
    const [plan = '', home = '', prompt = ''] = await outcomes(document);
    assert.match(plan, /^✓/);
    assert.match(home, /^✗ nothing was sent: Resources and prompts/);
    assert.equal(prompt, '✗ Not supported');
    await run(commands.copyCallAs, document.uri, 'plan');
    assert.equal(answers.told.at(-1), 'Nothing was copied because only tool calls can be copied.');
  });

  it('asks once for an input and for a masked password, until they are cleared', async () => {
    const document = await open({
      inputs: { town: { description: 'Which?' }, key: { password: true } },
      // Two that nobody typed yet would be asked with Back: test/page/servers.test.ts.
      calls: { one: weather('${input:town}'), both: weather('${input:town} ${input:key}') },
    });
    await run(commands.runFileCall, document.uri, 'one');
    assert.equal(dialogs.seen.length, 0);
    answers.type = ({ title }) => (title.includes('key') ? 'hunter2' : 'Oslo');
    await run(commands.runFileCall, document.uri, 'one');
    await run(commands.runFileCall, document.uri, 'both');
    await run(commands.runFileCall, document.uri, 'both');
    assert.deepEqual(dialogs.seen.map(argumentsOf), [
      { place: 'Oslo' },
      { place: 'Oslo hunter2' },
      { place: 'Oslo hunter2' },
    ]);
    assert.deepEqual(answers.boxes, [
      { title: 'Input “town”', isPassword: false },
      { title: 'Input “town”', isPassword: false },
      { title: 'Input “key”', isPassword: true },
    ]);
    await run(internalCommands.forgetInputs, document.uri);
    await run(commands.runFileCall, document.uri, 'one');
    assert.equal(answers.boxes.length, 4);
  });

  it('sends nothing if a server is missing, and says so at the call', async () => {
    const document = await open({ server: 'nowhere', tool: 't' });
    await run(commands.runFileCall, document.uri, '');
    assert.deepEqual(answers.told, ['Not sent: server “nowhere” does not exist.']);
    await diagnosticsOf(document, ['Server “nowhere” does not exist.']);
  });

  it('sends nothing from a file that is too large, and says so', async () => {
    const large = path.join(extension.folder, 'large.mcpcall');
    made.push(large);
    await writeFile(large, JSON.stringify(weather('Oslo')));
    await truncate(large, 51 * 1024 * 1024);
    await run(commands.runCallFile, vscode.Uri.file(large));
    const many = Array.from({ length: 60_000 }, () => 1);
    // In one line, because an editor of many takes longer to open.
    const dense = { server: 'demo', tool: 't', arguments: { many } };
    const document = await open(dense, { indent: 0 });
    await run(commands.runFileCall, document.uri, '');
    assert.deepEqual(answers.told, [
      'Not sent: “large.mcpcall” is missing, or too large for a call file.',
      'Not sent. The file is too large for a call file.',
    ]);
  });

  it('offers to start a server that is not running, as a quick fix', async () => {
    await extension.api.stop('demo');
    const document = await open(weather('Oslo'));
    const sentence = 'The call cannot be validated because server “demo” is not running.';
    const [problem] = await diagnosticsOf(document, [sentence]);
    assert.ok(problem !== undefined);
    const actions = await fixesOf(document.uri, problem.range);
    const action: vscode.CodeAction | undefined = actions.find(
      ({ title }: vscode.CodeAction) => title === 'Start Server “demo”',
    );
    assert.ok(action?.command !== undefined);
    await run(action.command.command, ...(action.command.arguments ?? []));
    assert.equal(extension.server('demo')?.state, 'running');
    await diagnosticsOf(document, []);
  });

  it('offers to start a server that is not running, if servers do not start on first use', async () => {
    await extension.api.stop('demo');
    await set(settings.startServers, 'never');
    const document = await open(weather('Oslo'));
    await run(commands.runFileCall, document.uri, '');
    assert.deepEqual(answers.told, ['Server “demo” is not running. Start it first?']);
    assert.equal(extension.server('demo')?.state, 'stopped');
    answers.press = (_, buttons) => buttons[0];
    await run(commands.runFileCall, document.uri, '');
    assert.deepEqual(dialogs.seen.map(argumentsOf), [{ place: 'Oslo' }]);
    const [outcome = ''] = await outcomes(document);
    assert.match(outcome, /^✓/);
  });

  it('asks once for all calls, with destructive ones folded, and writes a report', async () => {
    const sage = { name: 'Sage', text: 'Beside the beans' };
    const document = await open({
      calls: {
        plant: { server: 'demo', tool: 'plant_note', arguments: sage },
        look: weather('${calls.plant.content./0/text}'),
        list: { server: 'demo', tool: 'list_notes' },
        pull: { server: 'demo', tool: 'delete_note', arguments: { name: 'Sage' } },
      },
    });
    /** The document of this kind, once it stands in a tab. */
    const shown = async (wanted: string): Promise<vscode.TextDocument> => {
      const uris = () =>
        vscode.window.tabGroups.all.flatMap(({ activeTab }) =>
          activeTab?.input instanceof vscode.TabInputText ? activeTab.input.uri : [],
        );
      const find = () => uris().find((uri) => uri.scheme === wanted);
      return vscode.workspace.openTextDocument(
        (await eventually(find, (uri) => uri !== undefined)) ?? assert.fail(),
      );
    };
    const isOfFile = ({ message }: SeenDialog) => message.startsWith('Run the calls of “');
    dialogs.press = (dialog) => (isOfFile(dialog) ? 'Review' : pressRun(dialog));
    const running = run(commands.runCallFile, document.uri);
    const list = await shown(runAllScheme);
    const inDialog = dialogs.seen.splice(0).find(isOfFile);
    assert.deepEqual(inDialog?.buttons, ['Run', 'Review']);
    assert.deepEqual(inDialog.detail.split('\n'), [
      '• plant: “Plant a note” (plant_note) on “demo”, adds only: {"name":"Sage","text":"Beside the beans"}',
      '• list: “List notes” (list_notes) on “demo”, read-only',
      'Other calls: 2. Select “Review” to see how they run.',
    ]);
    const { uri } = list;
    const asked = list.getText().split('\nServer: ')[0]?.split('\n').slice(2);
    assert.deepEqual(asked, [
      'Checked calls run once with exactly these arguments, without asking again.',
      'You are asked about the other calls when it is their turn.',
      '',
      '[x] plant: “Plant a note” (plant_note) on “demo”',
      '    Adds only; never deletes or overwrites (declared); reaches no outside systems (declared).',
      '    Arguments: {"name":"Sage","text":"Beside the beans"}',
      '',
      ' -  look: “look_up_weather” on “demo”',
      '    Asks separately because its arguments come from the result of “plant”.',
      '',
      '[x] list: “List notes” (list_notes) on “demo”',
      '    Only reads (declared); reaches no outside systems (declared).',
      '    No arguments.',
      '',
      '[ ] pull: “Delete a note” (delete_note) on “demo”',
      '    Deletes or overwrites (declared); reaches no outside systems (declared). Safe to repeat (declared).',
      '    Asks separately. Expand it to see its arguments and check it.',
      '',
    ]);
    await run(commands.toggleFileCall, uri, 3);
    await eventually(
      () => list.getText(),
      (text) => text.includes('{"name":"Sage"}'),
    );
    assert.match(list.getText(), /^\[ \] pull/m);
    await run(commands.toggleFileCall, uri, 2);
    dialogs.press = (dialog) => (dialog.message.includes('delete') ? undefined : pressRun(dialog));
    await run(commands.runCallFile, uri);
    await running;
    assertEach(dialogs.seen, ({ message }) => /\((\w+)\)/.exec(message)?.[1], [
      'look_up_weather',
      'list_notes',
      'delete_note',
    ]);
    const end = '3 of 4 calls passed. “pull” ended the run: not called.';
    assert.deepEqual(answers.told, [end]);
    const report = await shown(reportScheme);
    const lines = report.getText().split('\n').slice(3, -1);
    assertEach(lines, (line) => line.replace(/[\d.]+ m?s/, '5 ms').replaceAll(/ {2,}/g, '  '), [
      'Call  Tool  Server  Duration  Outcome',
      '✓ plant  plant_note  demo  5 ms  passed',
      '✓ look  look_up_weather  demo  5 ms  passed',
      '✓ list  list_notes  demo  5 ms  passed',
      '⊘ pull  delete_note  demo  not called',
    ]);
    const links: unknown = await run('vscode.executeLinkProvider', report.uri);
    assert.ok(Array.isArray(links) && links.length === 3);
  });

  it('runs from its dialog, after a second question if that does not show everything', async () => {
    dialogs.second.length = 0;
    const document = await open({ calls: { one: weather('Oslo'), two: weather('Rome') } });
    await run(commands.runCallFile, document.uri);
    const passed = 'All calls in the file passed: 2.';
    assert.deepEqual([dialogs.seen.length, dialogs.second.length], [1, 0]);
    assert.equal(answers.told.at(-1), passed);
    const long = await open({ calls: { one: weather('Oslo'), two: weather('Rome'.repeat(200)) } });
    await run(commands.runCallFile, long.uri);
    const [second] = dialogs.second.splice(0);
    assert.match(second?.message ?? '', /^Really run the calls of “/);
    assert.deepEqual(second?.buttons, ['Review', 'Run']);
    assert.equal(answers.told.at(-1), passed);
    dialogs.press = () => undefined;
    await run(commands.runCallFile, document.uri);
    assert.equal(dialogs.seen.length, 3);
    assert.equal(answers.told.filter((text) => text === passed).length, 2);
  });

  it('stops at a call with an unexpected answer, and shows the answer', async () => {
    await set(settings.rules, [{ effect: 'allow', server: 'demo' }]);
    const expect = { values: { '/content/0/type': 'image' } };
    const document = await open({
      calls: { one: weather('Oslo', { expect }), two: weather('Rome') },
    });
    await run(commands.runCallFile, document.uri);
    const unmet = '“one” did not pass: Expected "image", but got "text".';
    assert.deepEqual(answers.told, [`0 of 2 calls passed. ${unmet} Not run: “two”.`]);
    const broken = await open({ calls: { one: weather('Oslo', { argument: {} }) } });
    await run(commands.runFileCall, broken.uri, 'one');
    const meant = 'Not sent. Unknown key “argument”. Did you mean “arguments”?';
    assert.equal(answers.told.at(-1), meant);
  });

  it('expects the answer of another call, from a call that the user chooses, or in a new file', async () => {
    await set(settings.rules, [{ effect: 'allow', server: 'demo' }]);
    const document = await open({ calls: { sun: weather('Oslo') } });
    const wish = { server: 'demo', tool: 'look_up_weather', arguments: { place: 'Oslo' } };
    const brought = await extension.api.callTool(wish);
    const expectIt = async (pick: string): Promise<string> => {
      await vscode.window.showTextDocument(brought.document ?? assert.fail());
      answers.pick = pick;
      await run(commands.expectAnswer);
      return vscode.window.activeTextEditor?.document.getText() ?? '';
    };
    // The history has the call a moment after it has ended.
    await eventually(
      () => expectIt('sun'),
      (text) => /"expect": ?\{\s*"answer": ?\{[^]*Oslo: sunny/.test(text),
    );
    assert.equal(document.isDirty, true);
    const text = await expectIt('New Call File…');
    assert.equal(vscode.window.activeTextEditor?.document.isUntitled, true);
    assert.match(text, /"tool": ?"look_up_weather"[^]*Oslo: sunny/);
    await run('workbench.action.revertAndCloseActiveEditor');
    await vscode.window.showTextDocument(document);
    await run('workbench.action.revertAndCloseActiveEditor');
  });

  it('opens the answer of a single call, and none of Run All', async () => {
    await run('workbench.action.closeAllEditors');
    await set(settings.rules, [{ effect: 'allow', server: 'demo' }]);
    const document = await open({ calls: { a: weather('Oslo'), b: weather('Rome') } });
    const results = () =>
      vscode.window.tabGroups.all
        .flatMap(({ tabs }) => tabs)
        .filter(({ input }) => input instanceof vscode.TabInputText && input.uri.scheme === scheme);
    await run(commands.runCallFile, document.uri);
    assert.deepEqual([answers.told, results().length], [['All calls in the file passed: 2.'], 0]);
    await run(commands.runFileCall, document.uri, 'b');
    assert.equal(results().length, 1);
  });

  it('offers completions for running servers, tools and arguments', async () => {
    const text = '{"server": "demo", "tool": "plant_note", "arguments": {"color": }}';
    const document = await open({});
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, new vscode.Range(0, 0, 1, 0), text);
    await vscode.workspace.applyEdit(edit);
    const at = (word: string, after = 0) => text.indexOf(word) + after;
    await proposalsAt(document, at('"demo"', 1), '"demo"');
    const tools = await proposalsAt(document, at('"plant_note"', 1), '"look_up_weather"');
    assert.ok(tools.length > 5);
    await proposalsAt(document, at('"color"', 1), 'heightCm');
    const colours = await proposalsAt(document, at('}}'), '"blue"');
    assertEach(colours, ({ label }) => (typeof label === 'string' ? label : label.label), [
      '"blue"',
      '"red"',
      '"white"',
      '"yellow"',
    ]);
    await run('workbench.action.revertAndCloseActiveEditor');
  });

  it('starts from an empty file with one completion, and names of properties insert their values', async () => {
    const document = await open({});
    const inserted = async (text: string, offset: number, label: string): Promise<string> => {
      const edit = new vscode.WorkspaceEdit();
      edit.replace(document.uri, new vscode.Range(0, 0, 9, 0), text);
      await vscode.workspace.applyEdit(edit);
      const items = await proposalsAt(document, offset, label);
      const insertText = items.find((item) => item.label === label)?.insertText ?? '';
      return typeof insertText === 'string' ? insertText : insertText.value;
    };
    const call = await inserted('', 0, 'Call of a Tool');
    const { ids = '' } = /"server": "\$\{1\|(?<ids>[^|]*)\|\}"/.exec(call)?.groups ?? {};
    assert.ok(ids.split(',').includes('demo'), call);
    assert.match(call, /"tool": "\$2",\s*"arguments": \{\$3\}/);
    assert.match(await inserted('', 0, 'Named Calls'), /"calls": \{\s*"\$\{1:first\}": \{/);
    assert.equal(await inserted('{}', 1, 'arguments'), '"arguments": {$1}');
    assert.equal(await inserted('{}', 1, 'timeout'), '"timeout": ${1:60000}');
    assert.match(await inserted('{}', 1, 'server'), /^"server": /);
    await run('workbench.action.revertAndCloseActiveEditor');
  });

  it('is possible in a file that is created for a chosen tool, and escapes literal text', async () => {
    await pressingKey(accept, Promise.resolve(run(commands.newCallFile)));
    const document = vscode.window.activeTextEditor?.document;
    assert.ok(document?.isUntitled === true);
    assert.match(document.uri.path, /\.mcpcall$/);
    const { file, problems } = readCallFile(document.getText());
    assert.deepEqual(problems, []);
    assert.deepEqual(
      file?.calls.map(({ name, server }) => [name, server]),
      [['first', 'demo']],
    );
    await run(commands.runFileCall);
    assert.equal(dialogs.seen.length, 1);
    await run('workbench.action.revertAndCloseActiveEditor');
  });

  it('keeps variables in every format of a copied call', async () => {
    await run('workbench.action.closeAllEditors');
    const document = await open(weather('${env:HOME} $${x}'));
    const copied: string[] = [];
    for (const form of ['Call File', 'JSON-RPC', 'TypeScript']) {
      answers.pick = form;
      await run(commands.copyCallAs, document.uri, '');
      copied.push(await vscode.env.clipboard.readText());
    }
    // It is no server that cURL could reach.
    assert.deepEqual(answers.listed, ['Call File', 'JSON-RPC Request', 'TypeScript']);
    const [callFile = '', request = '', program = ''] = copied;
    assert.deepEqual(JSON.parse(callFile), weather('${env:HOME} $${x}'));
    const { _meta: _, ...params } = JSON.parse(request).params;
    assert.deepEqual(params, {
      name: 'look_up_weather',
      arguments: { place: '${env:HOME} ${x}' },
    });
    assert.match(program, /"place": "\$\{env:HOME\} \$\{x\}"/);
  });

  it('can be copied as cURL for an HTTP server, even one that is not running', async () => {
    const url = 'http://127.0.0.1:9/mcp';
    await extension.configure({ demo: extension.demoEntry(), web: { type: 'http', url } });
    const document = await open({ server: 'web', tool: 't', arguments: { a: '$${b}' } });
    answers.pick = 'cURL';
    await run(commands.copyCallAs, document.uri, '');
    assert.deepEqual(answers.listed, ['Call File', 'JSON-RPC Request', 'cURL', 'TypeScript']);
    const copied = await vscode.env.clipboard.readText();
    assert.match(copied, /^curl "http:\/\/127\.0\.0\.1:9\/mcp" \\\n/);
    assert.match(copied, /"arguments":\{"a":"\$\{b\}"\}/);
  });

  /** Waits until these are the problems, which come a moment after a change. */
  async function diagnosticsOf(
    { uri }: vscode.TextDocument,
    sentences: readonly string[],
  ): Promise<readonly vscode.Diagnostic[]> {
    const all = () => vscode.languages.getDiagnostics(uri);
    const isSo = () => JSON.stringify(all().map(({ message }) => message)) === expected;
    const expected = JSON.stringify(sentences);
    await untilEvent(vscode.languages.onDidChangeDiagnostics, isSo);
    return all();
  }
});
