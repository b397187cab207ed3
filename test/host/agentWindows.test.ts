import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import type { CallAnswer } from '../../src/host/calls/call';
import { readWindows } from '../../src/host/agents/agentWindows';
import { connectAgent, type BridgeCommand } from './agentClients';
import { AgentScene } from './agentScene';
import { startBridge } from './bridgeProcess';
import { assertEach } from '../assertions';

const root = path.resolve(__dirname, '../..');
const yes: CallAnswer = { kind: 'run' };

/** Where a bridge is, and what it is started with. */
async function layOut(scene: AgentScene): Promise<BridgeCommand> {
  const file = path.join(scene.folder, 'gateway.js');
  mkdirSync(scene.workspace, { recursive: true });
  await build({
    absWorkingDir: root,
    entryPoints: ['src/gateway/gateway.ts'],
    outfile: file,
    bundle: true,
    platform: 'node',
    target: 'node20',
    logLevel: 'silent',
  });
  return { command: process.execPath, args: [file], cwd: scene.workspace };
}

describe('Two windows on one folder', () => {
  let first: AgentScene;
  let second: AgentScene;

  beforeEach(() => {
    first = new AgentScene();
    second = new AgentScene({ folder: first.folder });
    for (const scene of [first, second]) scene.answer = async () => yes;
  });
  afterEach(async () => {
    await second.end();
    await first.end();
  });

  it('connect agents to the one that was opened last, and to the other when it closes', async () => {
    const bridge = await layOut(first);
    await first.open('a');
    const early = await connectAgent('SDK 1', bridge);
    assert.equal((await early.call('a__echo', { n: 1 })).isError, false);
    // Windows are told apart by when they opened, to the millisecond.
    const opened = Date.now();
    while (Date.now() === opened) await new Promise((resolve) => setImmediate(resolve));
    await second.open('a');
    const late = await connectAgent('SDK 1', bridge);
    assert.equal((await late.call('a__echo', { n: 2 })).isError, false);
    // Who is connected stays where it is.
    assert.equal((await early.call('a__echo', { n: 3 })).isError, false);
    const askedIn = (scene: AgentScene): readonly unknown[] =>
      scene.questions.map((question) => question.arguments);
    assert.deepEqual(askedIn(first), [{ n: 1 }, { n: 3 }]);
    assert.deepEqual(askedIn(second), [{ n: 2 }]);
    await second.endpoint.close();
    await late.closed;
    const other = await connectAgent('SDK 1', bridge);
    assert.equal((await other.call('a__echo', { n: 4 })).isError, false);
    assert.deepEqual(askedIn(first), [{ n: 1 }, { n: 3 }, { n: 4 }]);
    await Promise.all([early.close(), other.close()]);
  });

  it('refuse each other’s tokens', async () => {
    await first.open('a');
    await second.open('a');
    const windows = await readWindows(first.folder);
    const [one, other] = windows;
    assert.equal(windows.length, 2);
    assert.ok(one !== undefined && other !== undefined);
    for (const [socket, token] of [
      [one.socket, other.token],
      [other.socket, one.token],
    ] as const) {
      await assert.rejects(first.connect({ socket, token }), /^Error: 403 +This is not the token/);
    }
    for (const { socket, token } of windows) (await first.connect({ socket, token })).destroy();
  });
});

describe('An agent that is killed while its question is open', () => {
  it('frees its place, and a late yes sends nothing', async () => {
    const scene = new AgentScene({ floods: { waiting: 1 } });
    try {
      const bridge = await layOut(scene);
      await scene.open('a');
      let answer: (answer: CallAnswer) => void = () => undefined;
      const asked = new Promise<void>((resolve) => {
        scene.answer = () =>
          new Promise((settle) => {
            answer = settle;
            resolve();
          });
      });
      const killed = startBridge(bridge);
      killed.call('a__echo', { n: 1 });
      await asked;
      const ended = new Promise<void>((resolve) => scene.running.onDidEnd(() => resolve()));
      killed.kill();
      await ended;
      assertEach(scene.running.ended, ({ outcome }) => outcome, ['cancelled']);
      answer(yes);
      scene.answer = async () => yes;
      const next = await connectAgent('SDK 1', bridge);
      assert.equal((await next.call('a__echo', { n: 2 })).isError, false);
      await next.close();
      const sent = scene.servers.received('a').filter((line) => line.startsWith('called '));
      assert.deepEqual(sent, ['called echo {"n":2}']);
      // Nobody is left who would hear of it: it is no draft for the person either.
      const [call] = scene.running.ended;
      assert.equal(scene.drafts.find(call?.id ?? ''), undefined);
    } finally {
      await scene.end();
    }
  });
});
