import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { textOf } from '../../src/core/content/textKind';
import { RunningCalls } from '../../src/host/calls/runningCalls';
import type { ServerRegistry } from '../../src/host/connections/registry';
import { History } from '../../src/host/history/history';
import { HistoryRecorder } from '../../src/host/history/historyRecorder';
import { CallRecorder } from '../../src/host/journal/callRecorder';
import type { NewEntry } from '../../src/host/journal/entry';
import { parseContent } from '../../src/host/journal/entry';
import { PromptReads } from '../../src/host/prompts/promptReads';
import {
  type PromptConnection,
  promptKind,
  type PromptLists,
  ServerLists,
} from '../../src/host/resources/serverLists';
import { SecretValues } from '../../src/host/secrets/secretValues';
import type { ServerPrompt } from '../../src/core/parse/promptsAndResources';
import { scripted, type Script } from '../servers/scripted';
import { assertEach } from '../assertions';
import { callLimits } from './callLimits';
import { trustedRegistry } from './trustedRegistry';

/** A prompt that repeats its arguments, one that fails, and one that is never answered. */
const library: Script = (server) => {
  server.capabilities = { prompts: { listChanged: true } };
  let lists = 0;
  server.on('prompts/list', (message) => {
    lists += 1;
    const names = ['greet', 'broken', 'slow', `list ${lists}`];
    const prompts = names.map((name) => ({ name, title: `The ${name}`, arguments: [] }));
    server.reply(message, { prompts });
    if (lists === 1) server.send({ jsonrpc: '2.0', method: 'notifications/prompts/list_changed' });
  });
  server.on('prompts/get', (message) => {
    const { name, arguments: given } = message.params ?? {};
    const text = JSON.stringify(given ?? null);
    const messages = [
      { role: 'user', content: { type: 'text', text } },
      { role: 'assistant', content: { type: 'text', text: 'Hello' } },
    ];
    if (name === 'greet') server.reply(message, { messages });
    if (name === 'broken') server.fail(message, -32602, 'no such prompt');
  });
};

describe('Prompts that the user reads', () => {
  const calls = new RunningCalls();
  const secrets = new SecretValues();
  let folder: string;
  let registry: ServerRegistry;
  let lists: PromptLists;
  let history: History;
  let written: NewEntry[];
  let reads: PromptReads;

  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'toolgate-prompts-'));
    written = [];
    registry = trustedRegistry({ library: scripted(library) });
    lists = new ServerLists<ServerPrompt, PromptConnection>(registry, promptKind);
    const limits = () => ({ maxCalls: 50, maxBytes: 1e8, maxAgeDays: 9, maxAnswerBytes: 1e8 });
    history = new History({
      folder,
      limits,
      isOpen: () => false,
      onProblem: ({ detail }) => assert.fail(detail),
    });
    const journal = {
      write: async (entry: NewEntry) => void written.push(entry),
      record: async (entry: NewEntry) => void written.push(entry),
    };
    const redact = (text: string) => secrets.redact(text);
    reads = new PromptReads({
      registry,
      lists,
      calls,
      recorder: new CallRecorder({
        journal,
        recordsArguments: () => true,
        isRequired: () => true,
        redact,
      }),
      history: new HistoryRecorder({
        history,
        calls,
        titleOf: ({ title = '' }) => title,
        known: secrets,
        pathOf: () => undefined,
      }),
      limits: () => callLimits(30_000),
    });
    await registry.start('library');
    await lists.ensure('library');
  });
  afterEach(async () => {
    await registry.stopAll();
    lists.dispose();
    await history.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const get = (tool: string, given = {}) =>
    reads.call({ server: 'library', tool, arguments: given, origin: 'tree' });

  it('are in the history with their messages, and in the journal as read', async () => {
    secrets.add('hunter2hunter2');
    const outcome = await get('greet', { who: 'hunter2hunter2' });
    assert.ok(outcome.kind === 'result');
    assertEach(outcome.result.content, ({ role }) => role, ['user', 'assistant']);
    const [call] = calls.ended;
    assert.deepEqual([call?.isPrompt, call?.tool, call?.outcome], [true, 'greet', 'result']);
    const [entry] = written;
    assert.ok(entry?.kind === 'read' && written.length === 1);
    assert.deepEqual(
      [entry.server, entry.prompt, entry.origin, entry.outcome],
      ['library', 'greet', 'tree', 'result'],
    );
    assert.deepEqual(parseContent(JSON.parse(JSON.stringify(entry))), entry);
    await history.stop();
    const past = history.find(outcome.callId ?? '');
    assert.equal(past?.isPrompt, true);
    assert.equal(past.toolTitle, 'The greet');
    assert.doesNotMatch(JSON.stringify(past), /hunter2hunter2/);
    assert.deepEqual(await history.lastOfEachTool(), []);
  });

  it('are stored with the roles of their messages', async () => {
    const outcome = await get('greet');
    await history.stop();
    const past = history.find(outcome.callId ?? '');
    assert.ok(past !== undefined);
    const restored = await history.restorable(past);
    assert.equal(restored?.isPrompt, true);
    const [first, second] = restored.result.content;
    assert.deepEqual([first?.role, second?.role], ['user', 'assistant']);
    assert.equal(second?.type === 'text' && textOf(second.text), 'Hello');
  });

  it('send no arguments if there are none, and only texts', async () => {
    const wordsOf = async (given: object) => {
      const outcome = await get('greet', given);
      const block = outcome.kind === 'result' ? outcome.result.content[0] : undefined;
      return block?.type === 'text' ? textOf(block.text) : '';
    };
    assert.equal(await wordsOf({}), 'null');
    assert.equal(await wordsOf({ a: 'x', b: 1, c: null }), '{"a":"x"}');
  });

  it('fail or are cancelled, which both records show', async () => {
    const failed = await get('broken');
    assert.ok(failed.kind === 'failed' && failed.error.code === 'serverError');
    const sent = new Promise<string>((resolve) => calls.onDidSend(({ id }) => resolve(id)));
    const slow = get('slow');
    calls.cancel(await sent);
    assert.equal((await slow).kind, 'cancelled');
    await registry.stop('library');
    const stopped = await get('greet');
    assert.ok(stopped.kind === 'failed' && stopped.error.code === 'notRunning');
    assertEach(written, (entry) => entry.kind === 'read' && [entry.outcome, entry.code], [
      ['failed', 'serverError'],
      ['cancelled', undefined],
      ['failed', 'notRunning'],
    ]);
  });

  it('are listed again after the server reported a change', async () => {
    const names = () => lists.of('library').entries.map(({ name }) => name);
    while (!names().includes('list 2')) {
      await new Promise((resolve) => lists.onDidChange(resolve));
    }
  });
});
