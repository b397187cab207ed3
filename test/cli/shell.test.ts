import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import path from 'node:path';
import { completeLine } from '../../src/cli/shellTexts';
import { parseTool } from '../../src/core/parse/parseTool';
import { riskOfTool } from '../../src/core/risk';
import { scripted, type ScriptedServer } from '../servers/scripted';
import { hostileServer } from './hostileServer';
import { projectRoot, runCommand, servers, useWorkspaces } from './program';

const workspace = useWorkspaces();

/** Runs a script in the shell, with one server that may do anything. */
const runScript = (
  server: object,
  lines: readonly string[],
  options: readonly string[] = ['--max-risk', 'destructive'],
  env: Readonly<Record<string, string>> = {},
) =>
  runCommand(
    workspace({ '.mcp.json': { mcpServers: { docs: server } } }),
    ['shell', ...options],
    env,
    { input: `${lines.join('\n')}\n` },
  );

/** Has tools that end the process, add a tool, log without end, and wait until they are cancelled. */
function lively(server: ScriptedServer): void {
  const tool = (name: string) => ({ name, inputSchema: { type: 'object' } });
  const log = (data: string) =>
    server.send({ method: 'notifications/message', params: { level: 'info', data } });
  server.capabilities = { tools: { listChanged: true }, logging: {} };
  server.tools = ['pid', 'crash', 'grow', 'flood', 'wait', 'later'].map(tool);
  server.on('logging/setLevel', (message) => server.reply(message, {}));
  server.on('notifications/cancelled', () => log('the call was cancelled'));
  server.on('tools/call', (message) => {
    const { name } = message.params ?? {};
    if (name === 'wait') return log('waiting');
    if (name === 'crash') return process.exit(7);
    if (name === 'grow') {
      server.tools = [...server.tools.slice(1), tool('pid'), tool('grown')];
      server.send({ method: 'notifications/tools/list_changed' });
    }
    if (name === 'flood') {
      for (let count = 0; count < 20_000; count += 1) log(['line', count].join(' '));
    }
    if (name === 'later') process.on('SIGUSR2', () => log('\u001b[2Jspoke later'));
    return server.text(message, [name, 'in', process.pid].join(' '));
  });
}

describe('toolgate shell, with commands from a file', () => {
  it('runs one command a line with a server that keeps running', async () => {
    const { code, stdout, stderr } = await runScript(servers.everything, [
      '# a comment',
      '',
      'tools',
      'describe get-sum',
      'get-sum a=1 b=2 --text',
      'call echo message="hello there" --text',
      'echo(message: "in parentheses")',
      'resources',
      'prompts',
      'read demo://resource/static/document/features.md --text',
      'prompt args-prompt city=Rome --text',
      'ping',
      'help',
      'help call',
      'exit',
      'echo message=never',
    ]);
    assert.equal(code, 0, stderr);
    for (const shown of [
      /^ {2}echo \(readOnly\) {2}Echo Tool$/m,
      /^ {2}a \(number, required\) {2}First number$/m,
      /^The sum of 1 and 2 is 3\.$/m,
      /^Echo: hello there$/m,
      /"text": "Echo: in parentheses"/,
      /^ {2}- demo:\/\/resource\/static\/document\/features\.md/m,
      /^ {2}- args-prompt\(city, state\?\)/m,
      /^user: What's weather in Rome\?$/m,
      /^docs: \d+ ms/m,
      /^Usage: toolgate call /m,
    ]) {
      assert.match(stdout, shown);
    }
    assert.doesNotMatch(stdout, /never/);
  });

  it('continues after a failure, and exits with the code of the first', async () => {
    const { code, stdout, stderr } = await runScript(servers.echo, [
      'ecko message=1',
      'describe ecko',
      'echo mesage=1',
      'echo message=1 --max-risk readOnly',
      'echo message="1',
      'list --jsn',
      'echo message=2 --text',
    ]);
    assert.deepEqual([code, stdout], [2, 'Echo: 2\n']);
    for (const said of [
      /no command or tool "ecko"\. Did you mean "echo"\?/,
      /no tool "ecko"\. Did you mean "echo"\?/,
      /must have the property "message"/,
      /call has no option --max-risk here/,
      /A quote is not closed/,
      /no option --jsn\. Did you mean "--json"\?/,
    ]) {
      assert.match(stderr, said);
    }
    const missing = await runScript(servers.missing, ['tools']);
    assert.deepEqual([missing.code, missing.stdout], [5, '']);
  });

  it('refuses and redacts what toolgate call does', async () => {
    const denied = await runScript(servers.echo, ['echo message=1'], []);
    assert.deepEqual([denied.code, denied.stdout], [3, '']);
    assert.match(denied.stderr, /This rule would: \{"effect":"allow","server":"docs"/);
    const token = 'kept-from-everybody';
    const server = { ...servers.echo, env: { TOKEN: '${env:TOKEN}' } };
    const lines = [`echo message=${token}`, 'echo message=@/etc/hostname', `none-${token}`, 'log'];
    const shown = await runScript(server, lines, undefined, { TOKEN: token });
    assert.match(shown.stdout, /"text": "Echo: \(secret\)"/, shown.stderr);
    assert.doesNotMatch(shown.stdout + shown.stderr, new RegExp(token));
  });

  it('starts a server again that ended, and restarts it', async () => {
    const { code, stdout, stderr } = await runScript(scripted(lively), [
      'pid --text',
      'crash',
      'pid --text',
      'restart',
      'pid --text',
      'log',
    ]);
    assert.equal(code, 1);
    const pids = [...stdout.matchAll(/^pid in (\d+)$/gm)].map(([, pid]) => pid);
    assert.equal(new Set(pids).size, 3, stdout);
    assert.match(stderr, /Server "docs" ended: .*exit code 7.*The next command starts it again\./);
    assert.match(stderr, /Started again: 6 tools\./);
    assert.match(stdout, /^\[info\] connected to /m);
  });

  it('knows a new tool at once', async () => {
    const lines = ['grow --text', 'grown --text', 'describe grown'];
    const { code, stdout, stderr } = await runScript(scripted(lively), lines);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^grown in \d+$/m);
    assert.match(stderr, /The tools changed\. New: grown\./);
  });

  it('shows messages of the server, but no flood of them', async () => {
    const lines = ['flood --text', 'later --text', 'log'];
    const { code, stdout, stderr } = await runScript(scripted(lively), lines);
    assert.equal(code, 0);
    assert.match(stdout, /^later in /m);
    assert.ok(stdout.split('\n').length < 600);
    const shown = stderr.match(/^toolgate: \[info\] line \d+$/gm) ?? [];
    assert.ok(shown.length > 0 && shown.length <= 200, String(shown.length));
    assert.match(stderr, /Further messages are not shown until the next command\./);
  });

  it('passes no command of a server to a terminal', async () => {
    const hostile = '\u001b[31m\u009b2J\u007f\u0007\r\u202e!';
    const lines = ['tools', 'list', 'describe say', 'say', 'refuse', hostile, 'log', 'help x'];
    const { stdout, stderr } = await runScript(hostileServer(hostile), lines);
    // oxlint-disable-next-line no-control-regex -- that is what it is about
    assert.doesNotMatch(stdout + stderr, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    assert.match(stdout, /\[stderr\] on stderr \\u\{001B\}\[31m/);
  });
});

describe('Completion in toolgate shell', () => {
  const entry = (name: string, properties: object = {}) => {
    const tool = parseTool({ name, inputSchema: { type: 'object', properties } });
    return { serverId: 'docs', tool, risk: riskOfTool(tool) };
  };
  const state = { enum: ['open', 'closed'] };
  const tools = [
    entry('search', { text: { type: 'string' }, state, isDone: { type: 'boolean' } }),
    entry('send'),
    entry('se\u001b[2J'),
    entry('se secret'),
    entry('two words'),
  ];
  const listed = {
    resources: [{ uri: 'file:///a', name: 'a' }],
    templates: [],
    problems: [],
    prompts: [{ name: 'greet', arguments: [{ name: 'who', isRequired: true }] }],
    problemsOfPrompts: [],
  };
  const redact = (text: string) => text.replaceAll('secret', '(secret)');
  const offered = (line: string) => completeLine(line, { tools, listed, redact })[0];

  it('offers commands, tools, arguments and values, without control characters', () => {
    for (const [line, ...expected] of [
      ['se', 'search', 'send'],
      ['des', 'describe '],
      ['call ', 'search', 'send'],
      ['describe sea', 'search '],
      ['help ta', 'tasks '],
      ['search ', 'text=', 'state=', 'isDone='],
      ['call search text=x st', 'state='],
      ['search state=', 'state=open', 'state=closed'],
      ['search isDone=f', 'isDone=false '],
      ['read f', 'file:///a '],
      ['prompt g', 'greet '],
      ['prompt greet ', 'who='],
      ['two'],
      ['nothing x'],
    ] as const) {
      assert.deepEqual(offered(line), expected, line);
    }
  });
});

// Elsewhere the program `script` has other options, or does not exist.
if (process.platform === 'linux') {
  describe('toolgate shell in a terminal', () => {
    const started: (() => void)[] = [];
    afterEach(() => started.splice(0).forEach((kill) => kill()));
    const startShell = () => {
      const folder = workspace({ '.mcp.json': { mcpServers: { docs: scripted(lively) } } });
      const program = path.join(projectRoot, 'dist/toolgate.js');
      const line = `'${process.execPath}' '${program}' shell --max-risk destructive`;
      const child = spawn('script', ['-qfec', line, '/dev/null'], {
        cwd: folder,
        env: { PATH: process.env['PATH'], HOME: folder, TERM: 'xterm', SHELL: '/bin/sh' },
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      let shown = '';
      let look = (): void => undefined;
      child.stdout.on('data', (chunk: Buffer) => {
        shown += chunk.toString();
        look();
      });
      /** Resolves when the text comes after everything that was awaited before. */
      const says = (text: string | RegExp): Promise<string> =>
        new Promise((resolve) => {
          look = () => {
            const [found] = (typeof text === 'string' ? [text] : text.exec(shown)) ?? [];
            const at = found === undefined ? -1 : shown.indexOf(found);
            if (found === undefined || at < 0) return;
            shown = shown.slice(at + found.length);
            look = () => undefined;
            resolve(found);
          };
          look();
        });
      const ended = new Promise<number | null>((resolve) => {
        child.on('close', (code) => resolve(code));
      });
      started.push(() => child.kill('SIGKILL'));
      return { says, ended, type: (text: string) => child.stdin.write(text) };
    };
    const prompt = 'docs> \u001b[7G';

    it('completes names, repeats a line, and leaves with Ctrl+D', async () => {
      const { says, ended, type } = startShell();
      await says(prompt);
      type('gr');
      await says('gr');
      type('\t');
      await says('ow ');
      type('--text\r');
      await says(/grow in \d+/);
      await says(prompt);
      type('\u001b[A');
      await says('grow --text');
      type('\r');
      await says(/grow in \d+/);
      await says(prompt);
      type('\u0004');
      assert.equal(await ended, 0);
    });

    it('cancels the running call with Ctrl+C, then the line, then leaves', async () => {
      const { says, ended, type } = startShell();
      await says(prompt);
      type('wait\r');
      await says('waiting');
      type('\u0003');
      await says(/\[info\] the call was cancelled[^]*Cancelled\.|Cancelled\.[^]*was cancelled/);
      type('pid --text\r');
      await says(/pid in \d+/);
      await says(prompt);
      type('unfinished');
      await says('unfinished');
      type('\u0003');
      await says(prompt);
      type('\u0003');
      assert.equal(await ended, 130);
    });

    it('shows a message above the line that is being typed', async () => {
      const { says, ended, type } = startShell();
      await says(prompt);
      type('later --text\r');
      const pid = Number(/\d+/.exec(await says(/later in \d+/))?.[0]);
      await says(prompt);
      type('half a line');
      await says('half a line');
      process.kill(pid, 'SIGUSR2');
      await says('\u001b[1G\u001b[0Jtoolgate: [info] \\u{001B}[2Jspoke later');
      await says('docs> half a line');
      process.kill(pid, 'SIGKILL');
      await says('The next command starts it again.');
      await says('docs> half a line');
      type('\u0003');
      await says(prompt);
      type('exit\r');
      assert.equal(await ended, 0);
    });
  });
}
