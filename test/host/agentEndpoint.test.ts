import assert from 'node:assert/strict';
import { rename, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { CallAnswer } from '../../src/host/calls/call';
import { connectAgent, eras, type Agent } from './agentClients';
import { AgentScene, type SceneOptions } from './agentScene';
import { assertEach } from '../assertions';
import { untilEvent } from '../waiting';

const yes: CallAnswer = { kind: 'run' };
const inputSchema = { type: 'object' };
const annotations = { readOnlyHint: true };

describe('The endpoint for agents', () => {
  let scene: AgentScene;
  const agents: Agent[] = [];

  async function open(options: SceneOptions = {}, ...ids: string[]): Promise<AgentScene> {
    scene = new AgentScene(options);
    await scene.open(...(ids.length === 0 ? ['a'] : ids));
    return scene;
  }
  async function agent(
    era: (typeof eras)[number] = 'SDK 1',
    server: string | undefined = 'a',
  ): Promise<Agent> {
    const way = await scene.connect(server === '' ? {} : { server });
    const connected = await connectAgent(era, way);
    agents.push(connected);
    return connected;
  }
  const names = async (of: Agent): Promise<string[]> => (await of.tools()).map(({ name }) => name);
  const sent = (id = 'a') =>
    scene.servers.received(id).filter((line) => line.startsWith('called '));

  afterEach(async () => {
    await Promise.all(agents.splice(0).map((each) => each.close()));
    await scene.end();
  });

  it('is accessible only to the user', async function () {
    if (process.platform === 'win32') this.skip();
    await open();
    const { socket } = await scene.window();
    const modeOf = async (file: string) => ((await stat(file)).mode & 0o777).toString(8);
    assert.equal(await modeOf(socket), '600');
    assert.equal(await modeOf(path.dirname(socket)), '700');
    assert.equal(await modeOf(path.join(scene.folder, 'windows')), '700');
    await scene.endpoint.close();
    await assert.rejects(stat(path.dirname(socket)), /ENOENT/);
    await assert.rejects(scene.window(), /no window/);
  });

  for (const era of eras) {
    describe(era, () => {
      it('accepts a call of a tool that its server announced a moment ago', async () => {
        await open();
        scene.answer = async () => yes;
        for (const server of ['a', '']) {
          const robot = await agent(era, server);
          const name = `fresh${server}`;
          await scene.servers.registry.start('a');
          await scene.servers.steer('a', {
            tools: [{ name, inputSchema, annotations }],
            announce: 1,
          });
          const { text } = await robot.call(server === '' ? `a__${name}` : name, {});
          assert.equal(text, '{}');
        }
      });

      it('lists the available tools, asks the user, and returns the answer of the server', async () => {
        await open();
        const robot = await agent(era);
        assert.deepEqual(await names(robot), ['echo']);
        scene.answer = async () => yes;
        const result = await robot.call('echo', { n: 1 });
        assert.deepEqual(result, { text: '{"n":1}', isError: false });
        assert.deepEqual(sent(), ['called echo {"n":1}']);
        const [question] = scene.questions;
        assert.deepEqual(
          [question?.origin, question?.client, question?.arguments],
          ['agent', 'robot', { n: 1 }],
        );
        assertEach(scene.kept, ({ kind }) => kind, ['result']);
      });

      it('reports a refusal in one sentence, and sends nothing', async () => {
        await open();
        const robot = await agent(era);
        assert.deepEqual(await robot.call('echo', { n: 1 }), {
          text: 'denied by the person',
          isError: true,
        });
        assert.deepEqual(sent(), []);
      });

      it('offers no tool that is destructive, denied, new or unknown', async () => {
        await open({ user: [{ effect: 'deny', tool: 'echo' }] });
        const robot = await agent(era);
        scene.answer = async () => yes;
        assert.deepEqual(await names(robot), []);
        for (const name of ['echo', 'steer', 'unusable', 'nothing', 'a__echo']) {
          assert.deepEqual(await robot.call(name, { n: 1 }), {
            text: `no tool ${name}`,
            isError: true,
          });
        }
        assert.deepEqual([scene.questions.length, sent().length], [0, 0]);
      });

      it('notifies agents of changed tools', async () => {
        await open();
        const robot = await agent(era);
        assert.deepEqual(await names(robot), ['echo']);
        const changed = robot.listChanged();
        const user = [{ effect: 'ask', origin: 'agent', tool: 'never' }];
        scene.book.setRules({ user, workspace: undefined, folders: [] });
        await changed;
        assert.deepEqual(await names(robot), ['echo', 'never']);
      });

      it('reports that there was no answer, and sends nothing whatever is answered later', async () => {
        await open();
        const robot = await agent(era);
        scene.answerWithinMs = 1;
        let answer: (answer: CallAnswer) => void = () => undefined;
        scene.answer = () => new Promise((resolve) => (answer = resolve));
        const result = await robot.call('echo', { n: 1 });
        assert.deepEqual(result, { text: 'nobody answered; nothing was sent', isError: true });
        const [unanswered] = scene.running.ended;
        // It is left to the person, as it was.
        assert.deepEqual(scene.drafts.find(unanswered?.id ?? ''), {
          callId: unanswered?.id,
          server: 'a',
          tool: 'echo',
          arguments: { n: 1 },
        });
        assert.equal(unanswered?.client, 'robot');
        answer(yes);
        scene.answerWithinMs = 30_000;
        scene.answer = async () => yes;
        assert.equal((await robot.call('echo', { n: 2 })).isError, false);
        assert.deepEqual(sent(), ['called echo {"n":2}']);
      });

      it('reports progress while the user decides, and that of the server', async () => {
        await open({ user: [{ effect: 'ask', origin: 'agent', tool: 'progressing' }] });
        const robot = await agent(era);
        const reports: [number, string | undefined][] = [];
        let onReport: () => void = () => undefined;
        const reported = (): Promise<void> => new Promise((resolve) => (onReport = resolve));
        // What comes together with the answer, clients do not tell of.
        scene.answer = async () => {
          await waiting;
          return yes;
        };
        const waiting = reported();
        const enough = new AbortController();
        const calling = robot.call(
          'progressing',
          { isHeld: true },
          {
            signal: enough.signal,
            onprogress: ({ progress, message }) => {
              reports.push([progress, message]);
              onReport();
            },
          },
        );
        await waiting;
        await reported();
        enough.abort();
        await assert.rejects(calling);
        assert.deepEqual(reports, [
          [1e-6, 'waiting for the person'],
          [1, undefined],
        ]);
      });

      it('cancels a call before it is answered, and after it was sent', async () => {
        await open({ user: [{ effect: 'ask', origin: 'agent', tool: 'never' }] });
        const robot = await agent(era);
        const first = new AbortController();
        scene.answer = () => {
          first.abort();
          return new Promise(() => undefined);
        };
        await assert.rejects(robot.call('never', {}, { signal: first.signal }));
        await ended(1);
        assert.deepEqual(sent(), []);
        scene.answer = async () => yes;
        const second = new AbortController();
        const calling = robot.call('never', {}, { signal: second.signal });
        await scene.servers.untilReceived('a', 'called never');
        second.abort();
        await assert.rejects(calling);
        await scene.servers.untilReceived('a', 'notifications/cancelled');
        await ended(2);
      });
    });
  }

  /** Resolves once so many calls have ended. */
  const ended = (count: number) =>
    untilEvent(scene.running.onDidEnd, () => scene.running.ended.length >= count);

  it('combines the tools of all exposed servers, and of no other', async () => {
    await open({ exposed: ['a', 'b'] }, 'a', 'b', 'c');
    const robot = await agent('SDK 1', '');
    assert.deepEqual(await names(robot), ['a__echo', 'b__echo']);
    scene.answer = async () => yes;
    assert.equal((await robot.call('b__echo', { n: 1 })).isError, false);
    for (const name of ['c__echo', 'echo', 'b__steer']) {
      assert.deepEqual(await robot.call(name, { n: 1 }), {
        text: `no tool ${name}`,
        isError: true,
      });
    }
    assert.deepEqual([sent('a'), sent('b')], [[], ['called echo {"n":1}']]);
    assert.equal(scene.servers.registry.find('c')?.state.kind, 'stopped');
    await assert.rejects(scene.connect({ server: 'c' }), /404 .*exposed/);
  });

  it('lists and calls nothing of a server that is no longer exposed', async () => {
    await open();
    const robot = await agent();
    assert.deepEqual(await names(robot), ['echo']);
    scene.exposed = [];
    scene.book.setRules({ user: [], workspace: undefined, folders: [] });
    assert.deepEqual(await names(robot), []);
    assert.equal((await robot.call('echo', { n: 1 })).text, 'no tool echo');
    assert.equal(scene.questions.length, 0);
  });

  it('starts no server that the user has not agreed to, and says so', async () => {
    await open();
    scene.isTrusted = false;
    let asked = 0;
    scene.servers.approve = async () => ++asked > 0;
    const robot = await agent();
    assert.deepEqual(await names(robot), []);
    assert.equal((await robot.call('echo', { n: 1 })).text, 'failed a notApproved');
    scene.isTrusted = true;
    scene.startsOnUse = false;
    assert.equal((await robot.call('echo', { n: 1 })).text, 'failed a notRunning');
    assert.deepEqual([asked, scene.servers.connects], [0, 0]);
  });

  it('starts no server that would ask the user for a value, and says so', async () => {
    await open();
    scene.isAnswered = false;
    const robot = await agent();
    assert.deepEqual(await names(robot), []);
    assert.equal((await robot.call('echo', { n: 1 })).text, 'failed a notApproved');
    assert.equal(scene.servers.connects, 0);
    scene.isAnswered = true;
    assert.deepEqual(await names(robot), ['echo']);
  });

  it('restarts a server that has stopped since it was listed', async () => {
    await open({ exposed: ['a'] });
    const robot = await agent('SDK 1', '');
    assert.deepEqual(await names(robot), ['a__echo']);
    await scene.servers.registry.stop('a');
    scene.answer = async () => yes;
    assert.equal((await robot.call('a__echo', { n: 1 })).isError, false);
  });

  it('asks nothing about calls that the user allows agents, and records the agent', async () => {
    await open({ user: [{ effect: 'allow', origin: 'agent', tool: 'echo' }] });
    const robot = await agent();
    assert.equal((await robot.call('echo', { n: 1 })).isError, false);
    assert.equal(scene.questions.length, 0);
    assert.deepEqual(
      scene.steered.recorded.map(({ question, decision }) => [question.client, decision.effect]),
      [['robot', 'allow']],
    );
  });

  it('limits agents that ask too often, says so once, and asks nothing meanwhile', async () => {
    await open({ floods: { questions: 2, perMs: 60_000, waiting: 8 } });
    const robot = await agent();
    const texts: string[] = [];
    for (let n = 0; n < 5; n++) texts.push((await robot.call('echo', { n })).text);
    assert.deepEqual(texts, [
      ...Array(2).fill('denied by the person'),
      ...Array(3).fill('failed a agentPaused'),
    ]);
    assert.deepEqual([scene.questions.length, scene.floodsOf], [2, ['robot']]);
  });

  it('refuses a connection without the current token of this window', async () => {
    await open();
    const { token } = await scene.window();
    const wrong = ['', 'x', token.slice(1), `${token}x`, token.toLowerCase()];
    for (const each of wrong)
      await assert.rejects(scene.connect({ token: each }), /^Error: 403 +This/);
    await scene.endpoint.close();
    await scene.open('a');
    await assert.rejects(scene.connect({ token }), /^Error: 403 +This is not the token/);
  });

  it('closes completely if its record cannot be deleted, and says so', async function () {
    if (process.platform === 'win32') this.skip();
    await open();
    const { socket } = await scene.window();
    const windows = path.join(scene.folder, 'windows');
    await rename(windows, `${windows}.away`);
    await writeFile(windows, 'no folder');
    await scene.endpoint.close();
    await assert.rejects(stat(path.dirname(socket)), /ENOENT/);
    assert.match(scene.logged.join('\n'), /ENOTDIR/);
  });

  it('tells a bridge of another version what to do', async () => {
    await open();
    await assert.rejects(scene.connect({ protocol: 'toolgate/0' }), /426 .*start the agent/);
    await assert.rejects(scene.connect({ path: '/mcp/a/b' }), /404/);
    await assert.rejects(scene.connect({ path: '/mcp/%zz' }), /404/);
    await assert.rejects(scene.connect({ path: '/.well-known/oauth-protected-resource' }), /404/);
  });
});
