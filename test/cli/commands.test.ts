import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { exitCodes } from '../../src/cli/exitCodes';
import { splitLine, projectRoot, runCommand, runProgram, servers, useWorkspaces } from './program';

const workspace = useWorkspaces();
const folderOf = () =>
  workspace({ '.mcp.json': { mcpServers: { files: servers.files } }, 'hello.txt': 'hello there' });

describe('toolgate', () => {
  it('lists servers with the risk of each tool, including the demo server', async () => {
    const { code, stdout } = await runProgram(folderOf(), ['list']);
    assert.equal(code, 0);
    assert.match(stdout, /^- files \(MCP 2025-11-25\)$/m);
    assert.match(stdout, /^ {2}- read_text_file {2}readOnly, declared$/m);
    assert.match(stdout, /^- demo \(MCP 2026-07-28\)$/m);
    const one = await runCommand(folderOf(), ['list', 'files']);
    assert.doesNotMatch(one.stdout, /^- demo/m);
  });

  it('ends every command that names a server that is not configured with wrong usage', async () => {
    const folder = folderOf();
    const commands = splitLine(
      'list lock diff ping tasks follow skills generate shell diagnose login logout gateway',
    );
    const lines = commands.map((command) => [command, 'fils']);
    const longer = [
      ['list', 'files', 'fils'],
      ['lock', 'files', 'fils'],
      ['diff', 'files', 'fils'],
      ['call', 'fils', 'x'],
      ['read', 'fils', 'a:b'],
      ['prompt', 'fils', 'x'],
    ];
    for (const line of [...lines, ...longer]) {
      const { code, stdout, stderr } = await runCommand(folder, line);
      assert.deepEqual([code, stdout], [2, ''], line.join(' '));
      assert.match(stderr, /There is no server "fils"\. Did you mean "files"\?/, line.join(' '));
    }
  });

  it('says why a list of tools may be incomplete, and then fails', async () => {
    const script = (pages: string) => `
      import { createInterface } from 'node:readline';
      const tool = (name) => ({ name, inputSchema: { type: 'object' } });
      const pages = ${pages};
      createInterface({ input: process.stdin }).on('line', (line) => {
        const { id, method, params } = JSON.parse(line);
        const result = method === 'initialize'
          ? { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }
          : method === 'tools/list' ? pages[params?.cursor ?? 0] : undefined;
        const outcome = result === undefined ? { error: { code: -32601, message: 'no' } } : { result };
        if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }));
      });
    `;
    const folder = workspace({
      '.mcp.json': {
        mcpServers: Object.fromEntries(
          ['none', 'odd', 'again'].map((name) => [
            name,
            { command: process.execPath, args: [`${name}.mjs`] },
          ]),
        ),
      },
      'none.mjs': script('[]'),
      'odd.mjs': script("[{ tools: [tool('a')], nextCursor: 5 }]"),
      'again.mjs': script(
        "[{ tools: [tool('a')], nextCursor: '1' }, { tools: [tool('a'), tool('b')] }]",
      ),
    });
    for (const [name, code, listed, said] of [
      ['none', 5, 0, 'did not send all of its tools: serverError: no'],
      ['odd', 5, 1, 'did not send all of its tools: nextCursor is not a string'],
      ['again', 0, 2, 'lists entries on more than one page: 1'],
    ] as const) {
      const end = await runCommand(folder, ['list', name]);
      assert.deepEqual(
        [end.code, end.stdout.match(/^ {2}- /gm)?.length ?? 0, end.stderr],
        [code, listed, `toolgate: Server "${name}" ${said}\n`],
      );
    }
    const call = await runCommand(folder, ['call', 'none', 'a']);
    assert.match(call.stderr, /did not send all of its tools/);
  });

  it('calls one tool through the same gate, and writes its result', async () => {
    const folder = folderOf();
    const given = JSON.stringify({ path: path.join(folder, 'hello.txt') });
    const call = ['call', 'files', 'read_text_file', '--arguments', given];
    const denied = await runProgram(folder, call);
    assert.deepEqual([denied.code, denied.stdout], [3, '']);
    assert.match(denied.stderr, /This rule would: \{"effect":"allow","server":"files"/);
    const { code, stdout } = await runCommand(folder, [...call, '--max-risk', 'readOnly']);
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(stdout).structuredContent, { content: 'hello there' });
    const outside = JSON.stringify({ path: '/no/such/place' });
    const failed = await runCommand(folder, [
      ...splitLine('call files read_text_file --arguments'),
      outside,
      ...splitLine('--max-risk readOnly'),
    ]);
    assert.equal(failed.code, 1);
    assert.equal(JSON.parse(failed.stdout).isError, true);
    for (const wrong of [
      ['call', 'files'],
      [...call.slice(0, 3), '--arguments', '[1'],
    ]) {
      assert.equal((await runCommand(folder, wrong)).code, 2, wrong.join(' '));
    }
  });

  it('reports structured content that violates the output schema of its tool, or is missing', async () => {
    const script = `
      import { createInterface } from 'node:readline';
      const tool = (name) => ({ name, inputSchema: { type: 'object' }, outputSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } });
      const results = {
        initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
        'tools/list': { tools: [...['odd', 'none', 'good'].map(tool), { name: 'bare', inputSchema: { type: 'object' } }] },
        odd: { content: [], structuredContent: { n: 'one' } },
        none: { content: [] },
        bare: { content: [], structuredContent: [1] },
        good: { content: [], structuredContent: { n: 1 } },
      };
      createInterface({ input: process.stdin }).on('line', (line) => {
        const { id, method, params } = JSON.parse(line);
        const result = results[params?.name ?? method];
        const outcome = result === undefined ? { error: { code: -32601, message: '' } } : { result };
        if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }));
      });
    `;
    const mcpServers = { s: { command: process.execPath, args: ['s.mjs'] } };
    const folder = workspace({ '.mcp.json': { mcpServers }, 's.mjs': script });
    const said = async (tool: string, ...more: readonly string[]) => {
      const all = ['call', 's', tool, '--max-risk', 'destructive', ...more];
      const { code, stderr } = await runCommand(folder, all);
      return [code, stderr];
    };
    assert.deepEqual(await said('bare'), [
      0,
      'toolgate: "bare" of "s": before MCP 2026-07-28, structured content must be an object.\n',
    ]);
    assert.deepEqual(await said('odd'), [
      0,
      'toolgate: "odd" of "s": structured content/n breaks its output schema: must be integer\n',
    ]);
    assert.deepEqual(await said('none'), [
      0,
      'toolgate: "none" of "s": the output schema requires structured content, but there is none.\n',
    ]);
    assert.deepEqual(await said('good', '--strict'), [0, '']);
    for (const tool of ['bare', 'odd', 'none']) assert.equal((await said(tool, '--strict'))[0], 1);
  });

  it('waits for the end of a task if the tool runs only as a task', async () => {
    const folder = workspace({ '.mcp.json': { mcpServers: { everything: servers.everything } } });
    const { code, stdout } = await runCommand(
      folder,
      'call everything simulate-research-query --max-risk destructive --arguments {"topic":"owls"}',
    );
    assert.equal(code, 0);
    assert.match(stdout, /Research Report: owls/);
  });

  it('diagnoses a server step by step', async () => {
    const { code, stdout } = await runCommand(folderOf(), ['diagnose', 'files']);
    assert.equal(code, 0, stdout);
    for (const step of [
      'Configuration',
      'Program found',
      'Handshake',
      'Tools listed',
      'Clean exit',
    ]) {
      assert.match(stdout, new RegExp(`^✓ ${step}`, 'm'));
    }
    const folder = workspace({ '.mcp.json': { mcpServers: { missing: servers.missing } } });
    const failed = await runCommand(folder, ['diagnose', 'missing']);
    assert.equal(failed.code, 5);
    assert.match(failed.stdout, /^✗ Program found.*\n\s+its program was not found/m);
    for (const searched of (process.env['PATH'] ?? '').split(path.delimiter)) {
      assert.ok(failed.stdout.includes(`\n    searched: ${searched}\n`), searched);
    }
  });

  it('uses the messages of the editor in a diagnosis', async () => {
    const { stdout } = await runCommand(folderOf(), ['diagnose', 'files']);
    assert.match(stdout, /^ {4}\S.*node\S*, as configured\.$/m);
    assert.match(stdout, /^ {4}Process \d+, started only for this diagnosis\.$/m);
    assert.match(stdout, /^ {4}Tools: \d+, unusable: 0\.$/m);
    assert.doesNotMatch(stdout, /[{}]/);
    const noise = ['-e', "console.log('hello'); setInterval(() => {}, 1000)"];
    const mcpServers = { loud: { command: process.execPath, args: noise } };
    const folder = workspace({ '.mcp.json': { mcpServers } });
    const loud = await runCommand(folder, ['diagnose', 'loud', '--start-timeout', '5000']);
    assert.equal(loud.code, 5);
    assert.match(loud.stdout, /^ {4}Lines that are not messages: 1\. The first: hello$/m);
    assert.match(loud.stdout, /^ {4}Fix: make the program log to stderr; /m);
  });

  it('shows its usage and its version', async () => {
    const folder = folderOf();
    const help = await runProgram(folder, ['--help']);
    assert.equal(help.code, 0);
    assert.match(help.stdout, /^Usage: toolgate <command>/);
    const { stdout } = await runProgram(folder, ['--version']);
    const { version } = JSON.parse(readFileSync(path.join(projectRoot, 'package.json'), 'utf8'));
    assert.equal(stdout, `${version}\n`);
  });

  it('documents every option and exit code in the manual, as in its help', async () => {
    const manual = readFileSync(path.join(projectRoot, 'docs/command-line.md'), 'utf8');
    const { stdout } = await runCommand(folderOf(), ['--help']);
    const options = [...new Set(stdout.match(/--[a-z-]+/g) ?? [])];
    assert.ok(options.length > 8, options.join(' '));
    assert.deepEqual(
      options.filter((option) => !manual.includes(option)),
      [],
    );
    const [, inHelp = ''] = stdout.split('Exit codes:');
    for (const code of Object.values(exitCodes)) {
      assert.match(manual, new RegExp(`^\\| ${code} `, 'm'));
      assert.match(inHelp, new RegExp(`\\b${code} \\w`));
    }
  });

  it('passes the call files of the demo workspace', async () => {
    const folder = path.join(projectRoot, 'test/demoWorkspace');
    const env = { TOOLGATE_INPUT_name: 'Rose' };
    const { code, stdout } = await runCommand(
      folder,
      ['test', '--max-risk', 'additive', '--pass-input', 'name', '--pass-answers'],
      env,
    );
    assert.equal(code, 0, stdout);
    assert.match(stdout, /^\d+ passed \(/m);
  });
});
