import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { buildSync } from 'esbuild';
import { isMcpError } from '../../src/core/errors';
import { bridgeProtocol, ownClientName } from '../../src/host/agents/agentProtocol';
import { readWindows, windowForFolder } from '../../src/host/agents/agentWindows';
import type { CallAnswer } from '../../src/host/calls/call';
import { Connections } from '../core/connections';
import { assertEach } from '../assertions';
import { connectAgent, eras, type BridgeCommand } from './agentClients';
import { AgentScene } from './agentScene';
import { startBridge } from './bridgeProcess';

const root = path.resolve(__dirname, '../..');

const yes: CallAnswer = { kind: 'run' };
const program = buildSync({
  absWorkingDir: root,
  entryPoints: ['src/gateway/gateway.ts'],
  write: false,
  bundle: true,
  platform: 'node',
  target: 'node20',
  logLevel: 'silent',
});

/** Puts a bridge beside the files of the window's agents. */
function layOut(scene: AgentScene): BridgeCommand {
  const file = path.join(scene.folder, 'gateway.js');
  mkdirSync(path.join(scene.workspace, 'inner'), { recursive: true });
  writeFileSync(file, program.outputFiles[0]?.contents ?? assert.fail());
  return { command: process.execPath, args: [file], cwd: scene.workspace };
}

describe('The bridge for agents', () => {
  let scene: AgentScene;

  beforeEach(() => {
    scene = new AgentScene({ exposed: ['a', 'b'] });
    scene.answer = async () => yes;
    layOut(scene);
  });
  afterEach(() => scene.end());

  const bridge = (cwd = scene.workspace, ...more: string[]): BridgeCommand => ({
    command: process.execPath,
    args: [path.join(scene.folder, 'gateway.js'), ...more],
    cwd,
  });

  /** What it says to an agent that it does not let through, and how it ends. */
  async function refused(cwd?: string, ...more: string[]): Promise<[unknown, string, number]> {
    const { command, args } = bridge(cwd, ...more);
    const child = spawn(command, args, { cwd: cwd ?? scene.workspace });
    child.stdin.on('error', () => undefined);
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'initialize' })}\n`);
    const exit = new Promise<number>((resolve) => child.on('exit', (code) => resolve(code ?? -1)));
    const [said, warned] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return [JSON.parse(said), warned, await exit];
  }

  for (const era of eras) {
    it(`connects an agent to the window that has its folder open: ${era}`, async () => {
      await scene.open('a', 'b');
      const robot = await connectAgent(era, bridge(path.join(scene.workspace, 'inner')));
      const tools = await robot.tools();
      assertEach(tools, ({ name }) => name, ['a__echo', 'b__echo']);
      assert.equal((await robot.call('b__echo', { n: 1 })).text, '{"n":1}');
      await robot.close();
      const one = await connectAgent(era, bridge(scene.workspace, '--server', 'b'));
      assertEach(await one.tools(), ({ name }) => name, ['echo']);
      await one.close();
    });
  }

  it('refuses Toolgate itself under any name of the bridge, because it would call itself', async () => {
    await scene.open('a');
    const { command, args, cwd } = bridge();
    const copy = path.join(scene.folder, 'another-name.js');
    copyFileSync(args[0] ?? '', copy);
    const connections = new Connections();
    const clientInfo = { name: ownClientName, title: 'Toolgate', version: '1' };
    for (const era of ['stateful', 'stateless', undefined] as const) {
      const transport = {
        command,
        args: [copy],
        cwd,
        env: {},
        ...(era === undefined ? {} : { era }),
      };
      await assert.rejects(connections.toCommand(transport, { clientInfo }), (error) => {
        assert.ok(isMcpError(error));
        assert.match(JSON.stringify(error.facts), /it would call itself/);
        return true;
      });
    }
    assert.deepEqual(scene.questions, []);
  });

  it('connects to the window of a given process, wherever the bridge is started', async () => {
    await scene.open('a');
    const way = bridge(scene.folder, '--server', 'a', '--window', String(process.pid));
    const robot = await connectAgent('SDK 1', way);
    assert.equal((await robot.call('echo', { n: 1 })).text, '{"n":1}');
    await robot.close();
    // No other window is taken in its place, though it has the folder open.
    const [answer] = await refused(scene.workspace, '--window', '1');
    assert.match(JSON.stringify(answer), /The window that started this does not serve agents/);
  });

  it('exits with one sentence when its window resets the connection', async () => {
    const lost = createServer();
    const socket = path.join(scene.folder, 'lost.sock');
    // What the agent sends is never read: closing then is a reset.
    lost.on('upgrade', (_, to) => {
      to.pause();
      const head = `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${bridgeProtocol}\r\n\r\n`;
      to.write(head, () => setTimeout(() => to.destroy(), 200));
    });
    await new Promise<void>((resolve) => lost.listen(socket, resolve));
    const window = { protocol: bridgeProtocol, pid: process.pid, socket, token: 't', startedAt: 1 };
    const windows = path.join(scene.folder, 'windows');
    mkdirSync(windows, { recursive: true });
    const record = JSON.stringify({ ...window, folders: [scene.workspace] });
    writeFileSync(path.join(windows, 'lost.json'), record);
    const { command, args, cwd } = bridge();
    const child = spawn(command, args, { cwd });
    child.stdin.on('error', () => undefined);
    child.stdin.write(`${'x'.repeat(1_000_000)}\n`);
    const exit = new Promise((resolve) => child.on('exit', resolve));
    const warned = await text(child.stderr);
    assert.equal(warned, 'Toolgate: the window has ended the connection.\n');
    assert.equal(await exit, 0);
    await new Promise((resolve) => lost.close(resolve));
  });

  it('says that no window has the folder open', async () => {
    const [answer, warned, code] = await refused();
    const sentence = `Toolgate: No window of VS Code in which Toolgate serves agents has the folder ${scene.workspace} open. Open it there, and turn on the setting toolgate.agents.enabled.`;
    assert.deepEqual(answer, {
      jsonrpc: '2.0',
      id: 7,
      error: { code: -32_000, message: sentence },
    });
    assert.deepEqual([warned, code], [`${sentence}\n`, 1]);
    await scene.open('a');
    const [, elsewhere] = await refused(scene.folder);
    assert.match(elsewhere, /Other folders are open in windows that serve agents/);
  });

  it('shows the message of the window', async () => {
    await scene.open('a');
    const [, warned] = await refused(undefined, '--server', 'c');
    assert.equal(warned, 'Toolgate: No server of this name is exposed to agents.\n');
  });

  it('connects no agent with unknown arguments', async () => {
    await scene.open('a', 'b');
    for (const odd of [['--server'], ['--server=b'], ['-s', 'b'], ['b']]) {
      const [, warned] = await refused(undefined, ...odd);
      assert.match(warned, /^Toolgate: The bridge takes --server <name> and --window <process>, /);
    }
  });

  it('says that its version differs, and ignores windows that no longer exist', async () => {
    const windows = path.join(scene.folder, 'windows');
    mkdirSync(windows);
    const window = {
      protocol: 'toolgate/9',
      pid: process.pid,
      socket: '/nowhere',
      token: 't',
      folders: [scene.workspace],
      startedAt: 1,
    };
    const write = (name: string, value: unknown): void =>
      writeFileSync(path.join(windows, name), JSON.stringify(value));
    write('one.json', window);
    write('two.json', { ...window, folders: 7 });
    write('three.json', { ...window, token: 'x'.repeat(100_000) });
    const [, warned] = await refused();
    assert.match(warned, /The window speaks toolgate\/9 and this bridge toolgate\/1/);
    write('one.json', { ...window, protocol: bridgeProtocol });
    const [, gone] = await refused();
    assert.match(gone, /could not be reached \(its socket is gone, .*\)\. Reload it/);
    // 4194304 is more than any system gives.
    write('one.json', { ...window, protocol: bridgeProtocol, pid: 4_194_304 });
    const [, none] = await refused();
    assert.match(none, /No window/);
  });

  it('connects to no socket that another user could have created, and finds the window beside it', async function () {
    if (process.platform === 'win32') this.skip();
    const others = path.join(scene.folder, 'others');
    mkdirSync(others);
    chmodSync(others, 0o755);
    const socket = path.join(others, 'gate.sock');
    let asked = 0;
    const impostor = createServer((_, response) => {
      asked += 1;
      response.end('come in');
    });
    await new Promise<void>((resolve) => impostor.unref().listen(socket, resolve));
    const windows = path.join(scene.folder, 'windows');
    mkdirSync(windows);
    const window = { protocol: bridgeProtocol, pid: process.pid, socket, token: 't' };
    // It was opened after every other.
    const record = { ...window, folders: [scene.workspace], startedAt: 8_640_000_000_000_000 };
    writeFileSync(path.join(windows, 'killed.json'), JSON.stringify(record));
    const [, warned] = await refused();
    assert.match(warned, /could not be reached \(.*others could have made it\)\. Reload it/);
    await scene.open('a');
    const robot = await connectAgent('SDK 1', bridge());
    assert.equal((await robot.tools()).length, 1);
    await robot.close();
    assert.equal(asked, 0);
    await new Promise((resolve) => impostor.close(resolve));
  });

  it('leaves other files alone in place of the socket of a killed window', async function () {
    if (process.platform === 'win32') this.skip();
    const windows = path.join(scene.folder, 'windows');
    mkdirSync(windows);
    const left = ['toolgateAAAAAA', 'toolgateBBBBBB'].map((name) => path.join(scene.folder, name));
    for (const [index, folder] of left.entries()) {
      mkdirSync(folder);
      const socket = path.join(folder, 'gate.sock');
      writeFileSync(socket, '');
      const gone = { protocol: bridgeProtocol, pid: 4_194_304, socket, token: 't', startedAt: 1 };
      const record = JSON.stringify({ ...gone, folders: [] });
      writeFileSync(path.join(windows, `gone${index}.json`), record);
    }
    writeFileSync(path.join(left[1] ?? '', 'other'), '');
    await scene.open('a');
    const there = readdirSync(scene.folder).filter((name) => name.startsWith('toolgate'));
    assert.deepEqual(there, ['toolgateBBBBBB']);
    assert.deepEqual(readdirSync(left[1] ?? ''), ['other']);
    assert.equal(readdirSync(windows).length, 1);
  });

  it('reads each record completely, and deletes abandoned ones', async () => {
    const windows = path.join(scene.folder, 'windows');
    mkdirSync(windows);
    const halves = ['half.json', 'half.json.tmp'].map((name) => path.join(windows, name));
    for (const file of halves) writeFileSync(file, '{"protocol":');
    await scene.open('a');
    const others = () => readdirSync(windows).filter((name) => !name.startsWith('half'));
    assert.deepEqual([readdirSync(windows).length, others().length], [3, 1]);
    assert.match(others().join(), /^[\w-]{36}\.json$/);
    const old = new Date(Date.now() - 61_000);
    for (const file of halves) utimesSync(file, old, old);
    await scene.endpoint.rewrite();
    assert.deepEqual([readdirSync(windows).length, others().length], [1, 1]);
  });

  it('exits when the window closes', async () => {
    await scene.open('a');
    const { command, args, cwd } = bridge();
    const child = spawn(command, args, { cwd });
    const ended = new Promise((resolve) => child.on('exit', resolve));
    const said = text(child.stderr);
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}\n`);
    await new Promise((resolve) => child.stdout.once('data', resolve));
    await scene.endpoint.close();
    assert.equal(await ended, 0);
    assert.match(await said, /the window has ended the connection/);
  });

  it('connects to the innermost folder, and of two windows to the one opened last', () => {
    const window = (startedAt: number, ...folders: string[]) => ({
      protocol: bridgeProtocol,
      pid: 1,
      socket: '',
      token: '',
      folders,
      startedAt,
    });
    const windows = [window(1, '/w'), window(3, '/w/a', '/x'), window(2, '/w/a')];
    const found = (folder: string) => windowForFolder(folder, windows)?.startedAt;
    assert.deepEqual(['/w', '/w/b', '/w/a', '/w/a/b', '/w/ab', '/x', '/', '/y'].map(found), [
      1,
      1,
      3,
      3,
      1,
      3,
      undefined,
      undefined,
    ]);
  });
});

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
    const bridge = layOut(first);
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
      const bridge = layOut(scene);
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
