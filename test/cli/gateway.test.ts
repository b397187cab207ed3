import assert from 'node:assert/strict';
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { lockServerChange } from '../../src/host/consent/pins/lockFileEdits';
import { eventually } from '../waiting';
import { connectAgent, eras, type Agent, type AgentEra } from '../host/agentClients';
import { projectRoot, runCommand, servers, useWorkspaces } from './program';

const workspace = useWorkspaces();
const program = path.join(projectRoot, 'dist/toolgate.js');

describe('toolgate gateway', () => {
  const agents: Agent[] = [];
  afterEach(async () => {
    await Promise.all(agents.splice(0).map((agent) => agent.close()));
  });

  async function connect(folder: string, era: AgentEra, ...options: string[]): Promise<Agent> {
    const args = [program, 'gateway', ...options];
    const agent = await connectAgent(era, { command: process.execPath, args, cwd: folder });
    agents.push(agent);
    return agent;
  }
  const names = async (agent: Agent) => (await agent.tools()).map(({ name }) => name).toSorted();
  const onlyDemo = () => workspace({ '.mcp.json': { mcpServers: { demo: servers.demo } } });

  for (const era of eras) {
    it(`lists and calls only what rules allow, for ${era}`, async () => {
      const folder = onlyDemo();
      const agent = await connect(folder, era, '--max-risk', 'readOnly', '--journal', 'journal');
      const listed = await names(agent);
      assert.ok(listed.includes('demo__list_notes'));
      assert.ok(!listed.includes('demo__plant_note') && !listed.includes('demo__pull_note'));
      const notes = await agent.call('demo__list_notes', {});
      assert.equal(notes.isError, false);
      const refused = await agent.call('demo__plant_note', { name: 'Sage', text: 'x' });
      assert.deepEqual([refused.isError, /No rule/.test(refused.text)], [true, true]);
      await Promise.all(agents.splice(0).map((each) => each.close()));
      const journal = path.join(folder, 'journal');
      const lines = readdirSync(journal).map((name) =>
        readFileSync(path.join(journal, name), 'utf8'),
      );
      assert.match(lines.join(''), /"origin":"agent"/);
    });
  }

  it('ignores allow rules of the folder, and allow rules that do not name agents', async () => {
    const folder = workspace({
      '.mcp.json': { mcpServers: { demo: servers.demo } },
      '.vscode/settings.json': {
        'toolgate.rules': [{ effect: 'allow', origin: ['agent'] }],
        'toolgate.agents.servers': ['demo'],
      },
      'rules.json': [{ effect: 'allow' }],
    });
    const agent = await connect(folder, 'SDK 1', '--allow', 'rules.json');
    assert.deepEqual(await names(agent), []);
    const { isError } = await agent.call('demo__list_notes', {});
    assert.equal(isError, true);
  });

  it('applies deny rules of the folder, and the arguments that rules require', async () => {
    const folder = workspace({
      '.mcp.json': { mcpServers: { echo: servers.echo, demo: servers.demo } },
      '.vscode/settings.json': { 'toolgate.rules': [{ effect: 'deny', tool: 'peek' }] },
      'rules.json': [
        { effect: 'allow', origin: ['agent'], server: 'demo', risk: ['readOnly'] },
        {
          effect: 'allow',
          origin: ['agent'],
          server: 'echo',
          when: { '/message': { equals: 'hello' } },
        },
      ],
    });
    const agent = await connect(folder, 'SDK 2, stateless', '--allow', 'rules.json');
    const listed = await names(agent);
    assert.deepEqual([listed.includes('demo__peek'), listed.includes('echo__echo')], [false, true]);
    assert.deepEqual(await agent.call('echo__echo', { message: 'hello' }), {
      text: 'Echo: hello',
      isError: false,
    });
    const { text, isError } = await agent.call('echo__echo', { message: 'bye' });
    assert.equal(isError, true);
    assert.match(text, /nothing was sent/i);
  });

  it('never starts itself if it is configured as a server of its own folder', async () => {
    const args = [program, 'gateway', '--max-risk', 'readOnly', '--journal', 'inner'];
    const self = { command: process.execPath, args };
    const folder = workspace({ '.mcp.json': { mcpServers: { self, demo: servers.demo } } });
    const agent = await connect(folder, 'SDK 2, stateful', '--max-risk', 'readOnly');
    const listed = await names(agent);
    assert.ok(listed.length > 0 && listed.every((name) => name.startsWith('demo__')));
  });

  it('lists no tools of a server that differs from the lock file', async () => {
    const lock = lockServerChange('', 'demo', new Map())?.text ?? assert.fail();
    const folder = workspace({
      '.mcp.json': { mcpServers: { demo: servers.demo } },
      'toolgate.lock.json': lock,
    });
    const agent = await connect(folder, 'SDK 2, stateful', '--max-risk', 'destructive');
    assert.deepEqual(await names(agent), []);
    // The lists follow the file: it is reviewed, and then differs once more.
    rmSync(path.join(folder, 'toolgate.lock.json'));
    const listed = await eventually(
      () => names(agent),
      (all) => all.length > 0,
    );
    assert.ok(listed.includes('demo__list_notes'));
    writeFileSync(path.join(folder, 'toolgate.lock.json'), lock);
    await eventually(
      () => names(agent),
      (all) => all.length === 0,
    );
  });

  it('starts a server that failed again when tools are listed, and names those that do not run', async () => {
    const late = { command: process.execPath, args: ['late.cjs'] };
    const gone = { command: process.execPath, args: ['gone.cjs'] };
    const folder = workspace({ '.mcp.json': { mcpServers: { late, gone } } });
    const agent = await connect(folder, 'SDK 1', 'late', 'gone', '--max-risk', 'readOnly');
    assert.deepEqual(await names(agent), []);
    const demo = path.join(projectRoot, 'dist/demoServer.js');
    writeFileSync(path.join(folder, 'late.cjs'), `require(${JSON.stringify(demo)});`);
    assert.ok((await names(agent)).includes('late__list_notes'));
    const { isError, text } = await agent.call('gone__look', {});
    assert.equal(isError, true);
    assert.match(text, /these servers do not run: "gone"\. Nothing was sent/);
  });

  it('says which server is not configured', async () => {
    const { code, stderr } = await runCommand(onlyDemo(), ['gateway', 'none']);
    assert.equal(code, 2);
    assert.match(stderr, /There is no server "none"/);
  });
});
