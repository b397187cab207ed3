import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { readCallFile } from '../../src/core/callFiles/parseCallFile';
import type { FileCall } from '../../src/core/callFiles/callFile';
import { readDocument } from '../../src/ui/callFiles/callFileDocuments';
import { ruleOf } from '../host/steeredConsent';
import { eventually, until } from '../waiting';
import { assertEach } from '../assertions';
import { TestScene } from './testScene';

const echo = (n: unknown, more: object = {}) => ({
  server: 'a',
  tool: 'echo',
  arguments: { n },
  ...more,
});
const text = (value: string) => ({ values: { '/content/0/text': value } });
const never = new vscode.CancellationTokenSource().token;
const nothing = { content: [], isError: false };
const inMemory = { environment: undefined, keptIn: 'memory' } as const;
const namesOf = (previewed: readonly { readonly call: FileCall }[]) =>
  previewed.map(({ call }) => call.name);

/** With real servers and the real gate; only the person is played. */
describe('A run of calls as tests', () => {
  let scene: TestScene;

  beforeEach(() => {
    scene = new TestScene('testRuns');
    scene.servers.configure(scene.servers.config('a'), scene.servers.config('b'));
    scene.consent.rules = [ruleOf('ask')];
  });
  afterEach(() => scene.end());

  /** What the server was called with, in order. */
  const called = (id = 'a') =>
    scene.servers
      .received(id)
      .filter((line) => line.startsWith('called '))
      .map((line) => line.slice('called '.length));

  async function run(content: object, more: { readonly isFresh?: boolean } = {}): Promise<void> {
    const item = await scene.itemOf(await scene.write('one.mcpcall', content));
    await scene.explorer.run(scene.request(item), never, more);
  }

  it('sends the generated values that the user agreed to, and others in the next run', async () => {
    const made = { id: '${uuid}', at: '${now}', roll: '${random:0..281474976710654}' };
    const calls = {
      one: { ...echo(1), arguments: { n: 1, ...made } },
      two: { ...echo(2), arguments: { n: 2, ...made } },
    };
    await run({ calls });
    const [list = []] = scene.lists;
    const agreed = list.map((each) => ('question' in each ? each.question.argumentsJson : ''));
    assert.deepEqual(
      called(),
      agreed.map((json) => `echo ${json}`),
    );
    assert.equal(new Set(agreed.map((json) => JSON.parse(json).id)).size, 2);
    assert.deepEqual(scene.asked, []);
    await run({ calls });
    assert.equal(new Set(called()).size, 4);
    // What the record of the call keeps is what was sent.
    const kept = scene.consent.recorded.map((each) => JSON.stringify(each));
    assert.ok(
      kept.every((record, index) => record.includes(JSON.parse(called()[index]!.slice(5)).id)),
    );
  });

  it('runs before and after calls with the one question, whatever their outcome', async () => {
    const content = {
      before: { open: echo(1) },
      calls: { fails: echo(2, { expect: text('other') }), works: echo(3) },
      after: { close: echo(4) },
    };
    await run(content);
    assert.deepEqual(scene.lists.map(namesOf), [['open', 'fails', 'works', 'close']]);
    assert.deepEqual(
      called(),
      [1, 2, 3, 4].map((n) => `echo {"n":${n}}`),
    );
    assert.deepEqual(scene.asked, []);
    const item = await scene.itemOf(await scene.write('one.mcpcall', content));
    const only = item.children.get('call:"works"');
    assert.ok(only !== undefined);
    await scene.explorer.run(scene.request(only), never, {});
    assert.deepEqual(scene.lists.map(namesOf)[1], ['open', 'works', 'close']);
  });

  it('makes no call if a before call failed, names that call, and cleans up', async () => {
    await run({
      before: { open: echo(1, { expect: text('other') }) },
      calls: { one: echo(2), two: echo(3) },
      after: { close: echo(4) },
    });
    assert.deepEqual(called(), ['echo {"n":1}', 'echo {"n":4}']);
    assertEach(scene.told, (each) => each.split(':', 1)[0], [
      'open failed',
      'one skipped',
      'two skipped',
      'close passed',
    ]);
    assert.match(scene.output[1] ?? '', /Not called: its setup call “open” did not pass\./);
  });

  it('cleans up when it is cancelled, with the given consent and no other', async () => {
    const content = {
      before: { open: echo(1) },
      calls: { waits: { server: 'a', tool: 'never' }, more: echo(2) },
      after: {
        close: echo(3),
        drop: { ...echo(4), arguments: { n: 4, x: '${calls.open.content./0/text}' } },
      },
    };
    const item = await scene.itemOf(await scene.write('one.mcpcall', content));
    const cancelling = new vscode.CancellationTokenSource();
    const running = scene.explorer.run(scene.request(item), cancelling.token, {});
    await scene.servers.untilReceived('a', 'called never');
    cancelling.cancel();
    await running;
    assert.deepEqual(called(), ['echo {"n":1}', 'never undefined', 'echo {"n":3}']);
    // Its arguments were not to be seen when the question was asked, so nobody has agreed to them.
    assert.deepEqual(scene.asked, []);
    assert.equal(scene.told.at(-1), 'drop skipped');
    assert.match(
      scene.output.at(-1) ?? '',
      /Not cleaned up: the run was cancelled, and this call asks first\./,
    );
    assert.match(scene.told.join(), /close passed/);
  });

  it('makes each call once with every chosen environment, after one question', async () => {
    scene.environments = { north: { n: 1 }, south: { n: 2 } };
    const item = await scene.itemOf(
      await scene.write('one.mcpcall', {
        calls: {
          first: echo('${var:n}', { expect: text('{"n":1}') }),
          second: {
            ...echo(7),
            arguments: { n: 7, x: '${calls.first.content./0/text}' },
          },
        },
      }),
    );
    scene.answer = { kind: 'run' };
    await scene.explorer.runInEnvironments(scene.request(item), never);
    assert.deepEqual(called(), [
      'echo {"n":1}',
      String.raw`echo {"n":7,"x":"{\"n\":1}"}`,
      'echo {"n":2}',
      String.raw`echo {"n":7,"x":"{\"n\":2}"}`,
    ]);
    assert.deepEqual(scene.lists.map(namesOf), [
      ['[north] first', '[north] second', '[south] first', '[south] second'],
    ]);
    assert.deepEqual(scene.told, [
      'first passed',
      'second passed',
      String.raw`first failed: [south] Expected "{\"n\":1}", but got "{\"n\":2}".`,
      'second passed',
    ]);
    assert.match(scene.output[2] ?? '', /^\[south\] ✗ first/);
  });

  it('includes files that were created while files were searched', async () => {
    // What stands here is not looked for: so it is surely missing in what is found.
    const uri = await scene.write('node_modules/one.mcpcall', { calls: { one: echo(1) } });
    const document = await vscode.workspace.openTextDocument(uri);
    const looking = scene.explorer.refresh(never);
    await scene.explorer.addOpen(document);
    const item = scene.controller.items.get(uri.toString());
    await looking;
    assert.ok(item !== undefined && item === scene.controller.items.get(uri.toString()));
  });

  it('starts no server after it is cancelled', async () => {
    const item = await scene.itemOf(await scene.write('one.mcpcall', { calls: { one: echo(1) } }));
    const cancelled = new vscode.CancellationTokenSource();
    cancelled.cancel();
    await scene.explorer.run(scene.request(item), cancelled.token, {});
    assert.deepEqual([scene.servers.pids('a'), scene.ended], [[], 1]);
  });

  it('keeps its environment to the end, and uses no answer of another one', async () => {
    scene.environments = { dev: { n: 1 }, prod: { n: 2 } };
    scene.environment = 'dev';
    scene.answer = { kind: 'run' };
    const taking = {
      ...echo(7),
      arguments: { n: '${var:n}', x: '${calls.first.content./0/text}' },
    };
    const uri = await scene.write('one.mcpcall', {
      calls: { first: echo('${var:n}'), second: taking },
    });
    const item = await scene.itemOf(uri);
    const changing = scene.runs.onDidChange(() => (scene.environment = 'prod'));
    await scene.explorer.run(scene.request(item), never, {});
    changing.dispose();
    const ofDev = ['echo {"n":1}', String.raw`echo {"n":1,"x":"{\"n\":1}"}`];
    assert.deepEqual(called(), ofDev);
    assert.equal(scene.runs.hasResult(uri, 'first', 'prod'), false);
    assert.equal(scene.runs.hasResult(uri, 'first', 'dev'), true);
    const second = item.children.get('call:"second"');
    assert.ok(second !== undefined);
    await scene.explorer.run(scene.request(second), never, {});
    assert.equal(scene.told.at(-1), 'second skipped');
    scene.environment = 'dev';
    await scene.explorer.run(scene.request(second), never, {});
    assert.deepEqual(called(), [...ofDev, ofDev[1]]);
  });

  it('reads resources without a question, and none with values from outside the file', async () => {
    scene.environments = { staging: { project: 'x' } };
    scene.environment = 'staging';
    await run({
      calls: {
        none: { server: 'a', resource: 'x:y', expect: { error: {} } },
        chosen: { server: 'a', resource: 'x:${var:project}' },
        after: echo(1),
      },
    });
    const told = scene.told.join('\n');
    assert.match(told, /^chosen errored.*Resources and prompts are read only if all values/m);
    assert.doesNotMatch(told, /^none passed/m);
    assertEach(scene.asked, ({ entry }) => entry.tool.name, ['echo']);
    assert.deepEqual(scene.lists, []);
  });

  it('continues automatically without asking for an input that only an expectation uses', async () => {
    const values = { '/content/0/resource/text': '${input:x}' };
    const calls = { read: { server: 'a', resource: 'x:y', expect: { values } } };
    const content = { inputs: { x: { description: 'X' } }, calls };
    const item = await scene.itemOf(await scene.writeSeen('one.mcpcall', content));
    await scene.servers.registry.start('a');
    const watching = new vscode.CancellationTokenSource();
    const request = new vscode.TestRunRequest([item], undefined, undefined, true);
    await scene.explorer.run(request, watching.token, {});
    scene.restarted.fire('a');
    await until(() => scene.ended > 0);
    watching.cancel();
    assert.deepEqual([scene.told, scene.inputQuestions], [['read skipped'], 0]);
    assert.match(scene.output.join('\n'), /asks for an input, and runs that start automatically/);
  });

  it('lists calls with any name, and calls without a name by their target', async () => {
    const odd = { calls: { ['a\u0000b']: echo(1) } };
    const item = await scene.itemOf(await scene.write('odd.mcpcall', odd));
    assert.deepEqual(
      [...item.children].map(([id]) => id),
      [String.raw`call:"a\u0000b"`],
    );
    const read = { server: 'a', resource: 'x://y' };
    const other = await scene.itemOf(await scene.write('read.mcpcall', read));
    assert.deepEqual(
      [...other.children].map(([, { label }]) => label),
      ['x://y'],
    );
  });

  it('has no outcome above a call after its answers, time limit or way of sending were edited', () => {
    const callOf = (more: object) =>
      readCallFile(JSON.stringify({ ...echo(1), ...more })).file?.calls[0];
    const uri = vscode.Uri.file('/edited.mcpcall');
    const ran = callOf({});
    assert.ok(ran !== undefined);
    scene.runs.setState(uri, ran, { kind: 'passed', durationMs: 1 });
    assert.equal(scene.runs.stateOf(uri, ran)?.kind, 'passed');
    for (const more of [
      { answers: [{ action: 'decline' }] },
      { timeout: 1_000 },
      { send: 'asIs' },
    ]) {
      const edited = callOf(more);
      assert.ok(edited !== undefined);
      assert.equal(scene.runs.stateOf(uri, edited), undefined, JSON.stringify(more));
    }
  });

  it('restarts the servers of its calls if that is requested, and no others', async () => {
    await scene.servers.registry.start('a');
    await scene.servers.registry.start('b');
    await run({ calls: { one: echo(1), two: echo(2) } }, { isFresh: true });
    const [before, after, ...more] = scene.servers.pids('a');
    assert.ok(before !== undefined && after !== undefined && before !== after);
    assert.deepEqual([more, scene.servers.pids('b').length], [[], 1]);
    assert.deepEqual(scene.told, ['one passed', 'two passed']);
    await run({ calls: { one: echo(1), two: echo(2) } });
    assert.equal(scene.servers.pids('a').length, 2);
  });

  it('continues automatically with the calls of a restarted server, if none asks', async () => {
    const both = { mine: echo(1), other: { ...echo(2), server: 'b' } };
    const item = await scene.itemOf(await scene.writeSeen('one.mcpcall', { calls: both }));
    await scene.servers.registry.start('a');
    await scene.servers.registry.start('b');
    const watching = new vscode.CancellationTokenSource();
    const request = new vscode.TestRunRequest([item], undefined, undefined, true);
    await scene.explorer.run(request, watching.token, {});
    const next = async (): Promise<void> => {
      const { ended } = scene;
      scene.restarted.fire('a');
      await until(() => scene.ended > ended);
    };
    await next();
    assert.deepEqual([scene.told, called(), scene.asked], [['mine skipped'], [], []]);
    scene.consent.rules = [ruleOf('allow')];
    await next();
    assert.deepEqual([called(), called('b')], [['echo {"n":1}'], []]);
    assert.deepEqual([scene.lists, scene.asked], [[], []]);
    watching.cancel();
  });

  /** A call for every kind of value that a file takes without holding it. */
  const take = (value: string) => ({ ...echo(1), arguments: { n: 1, x: value } });
  const takingCalls = {
    variable: take('${env:TOOLGATE_SCENE}'),
    input: take('${input:name}'),
    password: take('${input:pw}'),
    setting: take('${var:project}'),
    folder: take('${workspaceFolder}'),
    file: take('x ${file}'),
    selection: take('${selectedText}'),
    other: { ...take('${calls.first.content./0/text}'), server: 'b' },
  };

  async function openTakingFile(): Promise<vscode.TestItem> {
    const seen = await scene.write('seen.txt', { seen: 'a text' });
    const editor = await vscode.window.showTextDocument(seen);
    editor.selection = new vscode.Selection(1, 2, 1, 6);
    scene.input = 'typed';
    scene.environments = { staging: { project: 'a project' } };
    scene.environment = 'staging';
    scene.consent.rules = [ruleOf('allow')];
    const inputs = { name: {}, pw: { password: true } };
    const calls = { first: echo(1), own: take('${calls.first.content./0/text}'), ...takingCalls };
    const item = await scene.itemOf(await scene.writeSeen('taking.mcpcall', { inputs, calls }));
    await scene.servers.registry.start('a');
    await scene.servers.registry.start('b');
    return item;
  }

  it('inserts no value from outside the file when it starts automatically', async () => {
    const item = await openTakingFile();
    const request = new vscode.TestRunRequest([item], undefined, undefined, true);
    const watching = new vscode.CancellationTokenSource();
    await scene.explorer.run(request, watching.token, {});
    for (const server of ['a', 'b']) {
      const { ended } = scene;
      scene.restarted.fire(server);
      await until(() => scene.ended > ended);
    }
    watching.cancel();
    // A value that came from the same server goes back to it.
    assert.deepEqual([called().length, called('b')], [2, []]);
    const skipped = scene.told.filter((each) => each.endsWith(' skipped'));
    assert.deepEqual(
      skipped,
      Object.keys(takingCalls).map((name) => `${name} skipped`),
    );
    assert.deepEqual([scene.lists, scene.asked], [[], []]);
  });

  it('asks about each value from outside the file, even if a rule allows the call', async () => {
    const item = await openTakingFile();
    await scene.explorer.run(scene.request(item), never, {});
    const [list = []] = scene.lists;
    assertEach(list, ({ kind }) => kind, [
      'allowed',
      'later',
      ...Object.keys(takingCalls)
        .slice(1)
        .map(() => 'asked'),
      'later',
    ]);
    // Its arguments came from an answer, so no list could have it: it is asked about by itself.
    assertEach(scene.asked, ({ config, decision }) => [config.id, decision.effect], [['b', 'ask']]);
    // Those of the list, and `own`, of which a rule says yes.
    assert.deepEqual([called().length, called('b')], [9, []]);
  });

  it('continues automatically when its file changes, if no call asks', async () => {
    const item = await scene.itemOf(
      await scene.writeSeen('one.mcpcall', { calls: { one: echo(1) } }),
    );
    await scene.servers.registry.start('a');
    const watching = new vscode.CancellationTokenSource();
    const request = new vscode.TestRunRequest([item], undefined, undefined, true);
    await scene.explorer.run(request, watching.token, {});
    await scene.write('one.mcpcall', { calls: { one: echo(2) } });
    await eventually(
      () => scene.told[0],
      (first) => first === 'one skipped',
    );
    assert.deepEqual(called(), []);
    scene.consent.rules = [ruleOf('allow')];
    await scene.write('one.mcpcall', { calls: { one: echo(3) } });
    await eventually(
      () => scene.told.at(-1),
      (last) => last === 'one passed',
    );
    assert.equal(called().at(-1), 'echo {"n":3}');
    assert.deepEqual([scene.lists, scene.asked], [[], []]);
    watching.cancel();
  });

  it('runs one call if a name occurs twice, as while a call is copied', async () => {
    const uri = await scene.write('one.mcpcall', { calls: { one: echo(1), two: echo(2) } });
    const item = await scene.itemOf(uri);
    assert.match(item.label, /^testRuns-\w+\/one\.mcpcall$/);
    const edit = new vscode.WorkspaceEdit();
    const twice = `{ "calls": { "one": ${JSON.stringify(echo(1))}, "one": ${JSON.stringify(echo(2))} } }`;
    edit.replace(uri, new vscode.Range(0, 0, 99, 0), twice);
    await vscode.workspace.applyEdit(edit);
    await scene.explorer.resolve(item);
    assertEach([...item.children], ([, { label }]) => label, ['one']);
  });

  it('is counted for the tools that were called', async () => {
    await run({ calls: { one: echo(1), two: echo(2), three: echo(3, { expect: text('x') }) } });
    await scene.explorer.showExercisedTools();
    const shown = scene.reports.get('Exercised Tools') ?? '';
    assert.match(shown, /^a: 1 of [2-9] tools$/m);
    assert.match(shown, /^✗ echo +2 +1$/m);
    assert.match(shown, /^- never +0 +0$/m);
  });

  it('shows the outcome of a replay above the calls as they are written', async () => {
    const source = { kind: 'recording', path: '/run.mcprecord' } as const;
    const recorded = { ...scene.servers.config('a (recorded)'), source };
    scene.servers.configure(scene.servers.config('a'), recorded);
    const content = { calls: { one: echo(1), two: echo(2, { expect: text('other') }) } };
    const uri = await scene.write('one.mcpcall', content);
    const item = await scene.itemOf(uri);
    await scene.explorer.run(scene.request(item), never, { isReplay: true });
    assert.deepEqual([called(), called('a (recorded)').length], [[], 2]);
    const { file } = readDocument(await vscode.workspace.openTextDocument(uri));
    const kinds = (file?.calls ?? []).map((call) => scene.runs.stateOf(uri, call)?.kind);
    assert.deepEqual(kinds, ['passed', 'unmet']);
    // What a recording answered is nothing to calls of the server.
    assert.equal(scene.runs.hasResult(uri, 'one'), false);
  });

  it('keeps answers while their file exists, even after VS Code closes the document', async () => {
    const { runs } = scene;
    const call = { name: 'first', server: 'a', expect: {} } as FileCall;
    const uris: vscode.Uri[] = [];
    for (let n = 0; n < 2; n += 1) {
      const uri = await scene.write(`kept${n}.mcpcall`, { calls: { first: echo(n) } });
      uris.push(uri);
      // An extension that opens a document holds it; an editor lets it go.
      await vscode.commands.executeCommand('vscode.open', uri, { preview: false });
      runs.setState(uri, call, { kind: 'passed', durationMs: n });
      await runs.setResult(uri, call, nothing, inMemory);
      const closed = new Promise<void>((resolve) => {
        const listening = vscode.workspace.onDidCloseTextDocument((document) => {
          if (document.uri.toString() !== uri.toString()) return;
          listening.dispose();
          resolve();
        });
      });
      await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
      await closed;
    }
    const kept = uris.filter((uri) => runs.hasResult(uri, 'first'));
    assert.deepEqual(kept, uris);
    const [one, another] = kept;
    assert.ok(one !== undefined && another !== undefined);
    assert.equal(runs.stateOf(one, call)?.kind, 'passed');
    const edit = new vscode.WorkspaceEdit();
    edit.deleteFile(one);
    await vscode.workspace.applyEdit(edit);
    assert.equal(runs.hasResult(one, 'first'), false);
    assert.ok(runs.hasResult(another, 'first'));
    const renaming = new vscode.WorkspaceEdit();
    renaming.renameFile(another, another.with({ path: `${another.path}.old.mcpcall` }));
    await vscode.workspace.applyEdit(renaming);
    assert.equal(runs.hasResult(another, 'first'), false);
  });

  it('keeps answers within the budget, and reads them from disk', async () => {
    scene.maxAnswerBytes = 100_000;
    scene.answer = { kind: 'run' };
    const names = Array.from({ length: 12 }, (_, n) => `call${n}`);
    const large = (n: number) => ({ ...echo(n), arguments: { n, text: 'x'.repeat(40_000) } });
    const calls = Object.fromEntries(names.map((name, n) => [name, large(n)]));
    const taken = names.map((name) => [name, `\${calls.${name}.content./0/text}`]);
    const last = { ...echo(12), arguments: { n: 12, ...Object.fromEntries(taken) } };
    const expect = { contains: { '/content/0/text': 'call11' } };
    await run({ calls: { ...calls, last: { ...last, expect } } });
    assert.equal(scene.told.at(-1), 'last passed');
    const { held } = scene.answers;
    assert.ok(held.inMemory > 40_000 && held.inMemory <= 600_000, `${held.inMemory} bytes`);
    assert.ok(held.onDisk > 400_000, `${held.onDisk} bytes on disk`);
  });

  it('keeps the answers of the last 50 files without a document', async () => {
    const { runs } = scene;
    const call = { name: 'first', server: 'a', expect: {} } as FileCall;
    const uris = Array.from({ length: 53 }, (_, n) => vscode.Uri.file(`/gone/${n}.mcpcall`));
    const [first, ...others] = uris;
    assert.ok(first !== undefined);
    for (const uri of [...uris.slice(0, 50), first, ...uris.slice(50)]) {
      await runs.setResult(uri, call, nothing, inMemory);
    }
    const kept = uris.filter((uri) => runs.hasResult(uri, 'first'));
    assert.deepEqual(kept, [first, ...others.slice(3)]);
  });

  it('gives one reason for a call that was not made', async () => {
    scene.consent.rules = [ruleOf('deny')];
    await run({ calls: { one: echo(1), two: echo(2) } });
    assert.deepEqual(scene.told, ['one skipped', 'two skipped']);
    assert.equal(
      scene.output.filter((line) => line.includes('one')).length,
      1,
      scene.output.join('\n'),
    );
  });
});
