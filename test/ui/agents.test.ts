import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { McpError } from '../../src/core/errors';
import { commands, extensionId, settings } from '../../src/ids';
import { agentMessages } from '../../src/ui/agents/agentMessages';
import { ChatServers, type ChatServersOptions } from '../../src/ui/agents/chatServers';
import { connectAgent, type Agent, type BridgeCommand } from '../host/agentClients';
import { until } from '../waiting';
import { assertNone } from '../assertions';
import { agentThrough, set, useWindow, withoutAnswer } from './realWindow';

describe('Agents', () => {
  const { extension, answers, dialogs } = useWindow({
    servers: (real) => ({ garden: real.demoEntry() }),
  });
  let bridge: BridgeCommand;
  const agents: Agent[] = [];

  after(async () => {
    await Promise.all(agents.map((each) => each.close()));
    await set(settings.agentsEnabled, undefined);
    await set(settings.agentServers, undefined);
  });

  async function agent(name: string): Promise<Agent> {
    const connected = await agentThrough(bridge, name);
    agents.push(connected);
    return connected;
  }

  it('get access only from the user, and an entry without a secret', async () => {
    answers.pick = ['Cursor', 'Copy Entry'];
    // Closing the question means no.
    await vscode.commands.executeCommand(commands.copyAgentConfiguration);
    const given = vscode.workspace.getConfiguration(settings.section);
    assert.equal(given.get(settings.agentsEnabled), false);
    answers.press = (sentence) => (sentence.startsWith('Let agents') ? 'Turn On' : undefined);
    await vscode.commands.executeCommand(commands.copyAgentConfiguration);
    const writing = `Write to ${path.join('.cursor', 'mcp.json')}…`;
    assert.deepEqual(answers.listed, [writing, 'Copy Entry']);
    const text = await vscode.env.clipboard.readText();
    const [gateway] = JSON.parse(text).mcpServers.toolgate.args;
    assert.deepEqual(JSON.parse(text), {
      mcpServers: { toolgate: { command: 'node', args: [gateway] } },
    });
    assert.match(answers.told.at(-1) ?? '', /was copied\. Add it to \.cursor.mcp\.json/);
    bridge = { command: process.execPath, args: [gateway], cwd: extension.folder };
    const idle = await agent('idle');
    assert.ok(existsSync(path.join(path.dirname(gateway), 'windows')));
    assert.deepEqual(await idle.tools(), []);
  });

  it('see the tools of a server once it is exposed, but no destructive ones', async () => {
    const robot = await agent('robot');
    const changed = robot.listChanged();
    await set(settings.agentServers, ['garden']);
    await changed;
    const tools = await robot.tools();
    assert.ok(tools.length > 3 && tools.every(({ name }) => name.startsWith('garden__')));
    assertNone(tools, ({ annotations }) => annotations?.['destructiveHint'] !== false);
  });

  it('raise the usual question, which names the agent', async () => {
    const robot = await agent('robot\u202E');
    const tool = (await robot.tools()).find(({ annotations }) => annotations?.['readOnlyHint']);
    const name = tool?.name ?? '';
    dialogs.seen.length = 0;
    dialogs.press = () => undefined;
    assert.deepEqual(await robot.call(name), {
      text: 'The user declined this call. Nothing was sent.',
      isError: true,
    });
    const [seen] = dialogs.seen;
    assert.match(seen?.message ?? '', /^Agent “robot\\u\{202E\}” wants to run “/);
    assert.match(seen?.detail ?? '', /An agent asks for this call\. It chose its own name\./);
    assert.deepEqual(seen?.buttons, ['Run', 'Review', 'Allow…']);
    dialogs.press = () => 'Run';
    const { isError, text } = await robot.call(name);
    assert.ok(!isError && text !== '', text);
  });

  it('get the reason of a refusal in one sentence', async () => {
    const robot = await agent('robot');
    const { text } = await robot.call('garden__nothing');
    assert.equal(
      text,
      'No tool “garden__nothing” is available to you. Only the user can expose tools.',
    );
    const wrong = await robot.call('garden__plant_note', { name: 1, text: [] });
    assert.match(
      wrong.text,
      /^Nothing was sent: the arguments do not match the schema \(\/name [^;\n]+; \/text [^;\n]+\)\.$/,
    );
    const rules = [{ effect: 'ask', origin: 'agent', risk: 'destructive' }];
    const changed = robot.listChanged();
    await robot.tools();
    await set(settings.rules, rules);
    await changed;
    const opened = (await robot.tools()).filter((tool) => tool.annotations?.['destructiveHint']);
    assert.ok(opened.length > 0);
    await set(settings.rules, undefined);
  });

  it('get many argument errors in one sentence, too', () => {
    const violations = Array.from({ length: 40 }, (_, index) => ({
      pointer: `/${index}${'x'.repeat(5_000)}`,
      message: 'must be\nstring',
      keyword: 'type',
    }));
    const error = new McpError('invalidArguments');
    const said = agentMessages((id) => id).refused('a', {
      kind: 'failed',
      error,
      violations,
      durationMs: 0,
    });
    assert.match(said, /^Nothing was sent: .*\/0x+.*; \/1x+.*; \/2x+.*; and 37 more\)\.$/);
    assert.ok(said.length < 3_000, String(said.length));
  });

  it('in VS Code itself get access the same way, with a token that VS Code does not get', async () => {
    await vscode.commands.executeCommand(
      'workbench.mcp.startServer',
      `${extensionId}/garden through Toolgate`,
    );
    const known = (): string | undefined =>
      vscode.lm.tools.find(({ name }) => name.includes('list_notes'))?.name;
    await until(() => known() !== undefined);
    const name = known() ?? '';
    const invoke = async (): Promise<string> => {
      const { content } = await vscode.lm.invokeTool(name, {
        input: {},
        toolInvocationToken: undefined,
      });
      return content.map((part) => String(Object(part).value)).join();
    };
    dialogs.seen.length = 0;
    dialogs.press = () => undefined;
    assert.match(await invoke(), /The user declined this call\. Nothing was sent\./);
    assert.match(dialogs.seen[0]?.message ?? '', /^Agent “.+” wants to run “/);
    dialogs.press = () => 'Run';
    assert.doesNotMatch(await invoke(), /nothing was sent/);
    await withoutAnswer(async () =>
      assert.match(await invoke(), /The user did not answer in time/),
    );
  });

  /** What VS Code gets of servers with these labels, which are their IDs, too. */
  const offered = (...labels: string[]): vscode.McpStdioServerDefinition[] => {
    const onDidChange = () => new vscode.Disposable(() => undefined);
    const servers = labels.map((label) => ({ config: { id: label, label } }));
    const options: unknown = {
      registry: { servers, onDidChange },
      settings: { current: { servesAgents: true, agentServers: labels }, onDidChange },
      gateway: bridge.args[0],
      version: '1',
    };
    const chat = new ChatServers(options as ChatServersOptions);
    chat.dispose();
    return chat.provideMcpServerDefinitions();
  };

  it("in VS Code's agent host get access, too, which resolves nothing and works in folders of its own", async () => {
    const [{ command, args } = assert.fail()] = offered('garden');
    const elsewhere = mkdtempSync(path.join(tmpdir(), 'toolgate-worktree-'));
    const hosted = await connectAgent('SDK 1', { command, args, cwd: elsewhere }, 'copilot-cli');
    agents.push(hosted);
    assert.ok((await hosted.tools()).some(({ name }) => name === 'list_notes'));
    rmSync(elsewhere, { recursive: true });
  });

  it('in the agent host lose no server to another one whose name is alike', () => {
    // Its agent replaces these characters in names of tools, and drops the second of equal names.
    const alike = offered('a b', 'a-b', 'a.b', 'b').map(({ label }) => label);
    const asInTools = alike.map((label) => label.replaceAll(/[^\w-]/g, '-'));
    assert.equal(new Set(asInTools).size, 4, alike.join());
    assert.deepEqual([alike[0], alike[3]], ['a b through Toolgate', 'b through Toolgate']);
    assert.deepEqual(offered('a-b', 'a b')[1]?.label, offered('a.b', 'a b')[1]?.label);
  });

  it('leave unanswered calls to the user, who sees the arguments first', async () => {
    answers.pick = 'List';
    dialogs.seen.length = 0;
    dialogs.press = () => 'Run';
    await vscode.commands.executeCommand(commands.runDraft);
    const [seen] = dialogs.seen;
    assert.match(seen?.message ?? '', /^Run “List/);
    // It is a call of the person's.
    assert.doesNotMatch(seen?.detail ?? '', /Agent/);
  });

  it('are disconnected at once, until the user connects them again', async () => {
    const robot = await agent('robot');
    await vscode.commands.executeCommand(commands.cutOffAgents);
    await robot.closed;
    assert.match(answers.told.at(-1) ?? '', /^Agents are disconnected until/);
    await assert.rejects(connectAgent('SDK 1', bridge, 'robot'), /No window of VS Code|closed/);
    await set(settings.agentsEnabled, false);
    await set(settings.agentsEnabled, true);
    assert.ok((await (await agent('robot')).tools()).length > 0);
  });
});
