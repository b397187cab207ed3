import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { scripted, type ScriptedServer } from '../servers/scripted';
import { runCommand, runProgram, servers, useWorkspaces } from './program';

const workspace = useWorkspaces();
const png = 'iVBORw0KGgo=';
const secret = 'swordfish-and-more';

/** Repeats URIs and arguments, and has a picture in each form. */
function library(server: ScriptedServer): void {
  // A script sees nothing of this file.
  const [bytes, said] = ['iVBORw0KGgo=', 'swordfish-and-more'];
  server.capabilities = { tools: {}, resources: {}, prompts: {} };
  server.tools = [{ name: 'draw', inputSchema: { type: 'object' } }];
  const picture = { type: 'image', data: bytes, mimeType: 'image/png' };
  server.on('tools/call', (message) =>
    server.reply(message, { content: [{ type: 'text', text: 'done' }, picture, picture] }),
  );
  server.on('resources/list', (message) =>
    server.reply(message, { resources: [{ uri: 'book://first', name: 'First' }] }),
  );
  server.on('resources/templates/list', (message) =>
    server.reply(message, { resourceTemplates: [{ uriTemplate: 'book://{id}', name: 'Book' }] }),
  );
  server.on('prompts/list', (message) =>
    server.reply(message, { prompts: [{ name: 'summary', arguments: [{ name: 'style' }] }] }),
  );
  server.on('resources/read', (message) => {
    const { uri } = message.params ?? {};
    const of = (rest: object) => server.reply(message, { contents: [{ uri, ...rest }] });
    if (uri === 'book://cover.png') of({ mimeType: 'image/png', blob: bytes });
    else if (uri === 'book://secret') of({ text: said });
    else if (uri === 'book://whole') {
      const meta = { page: 2, owner: said };
      server.reply(message, {
        contents: [{ uri, text: 'a', _meta: { own: 1 } }],
        _meta: meta,
        total: 9,
      });
    } else if (uri === 'book://first' || uri === 'book://a%20b') of({ text: '{"a":1}' });
    else server.fail(message, -32002, 'no such book');
  });
  server.on('prompts/get', (message) => {
    const { name, arguments: given } = message.params ?? {};
    if (name !== 'summary') return server.fail(message, -32602, 'no such prompt');
    const text = { type: 'text', text: JSON.stringify(given ?? 'none') };
    const messages = [
      { role: 'user', content: text },
      { role: 'assistant', content: picture },
    ];
    server.reply(message, { messages, ...(given === undefined ? { _meta: { page: 3 } } : {}) });
  });
}

const files = () => ({
  '.mcp.json': { mcpServers: { library: scripted(library), everything: servers.everything } },
});
const run = (...parameters: readonly string[]) => runCommand(workspace(files()), parameters);

describe('Resources and prompts by hand', () => {
  it('are written as in the protocol, without a rule', async () => {
    const read = await run('read', 'library', 'book://first');
    assert.deepEqual(
      [JSON.parse(read.stdout), read.stderr, read.code],
      [{ contents: [{ uri: 'book://first', text: '{"a":1}' }] }, '', 0],
    );
    const got = await run('prompt', 'library', 'summary', 'style=short', 'n=5');
    assert.deepEqual(JSON.parse(got.stdout), {
      messages: [
        { role: 'user', content: { type: 'text', text: '{"style":"short","n":"5"}' } },
        { role: 'assistant', content: { type: 'image', data: png, mimeType: 'image/png' } },
      ],
    });
    const { stdout } = await run('prompt', 'library', 'summary');
    const { messages, ...others } = JSON.parse(stdout);
    assert.equal(messages[0].content.text, '"none"');
    assert.deepEqual(others, { _meta: { page: 3 } });
    const whole = await run('read', 'library', 'book://whole');
    assert.deepEqual(JSON.parse(whole.stdout), {
      contents: [{ uri: 'book://whole', text: 'a', _meta: { own: 1 } }],
      _meta: { page: 2, owner: secret },
      total: 9,
    });
  });

  it('come from servers of other SDKs, and from templates, too', async () => {
    const list = await run('list', 'everything');
    assert.match(list.stdout, /- demo:\/\/resource\/dynamic\/text\/\{resourceId\}/);
    const uri = 'demo://resource/dynamic/text/{resourceId}';
    const { stdout, code } = await run('read', 'everything', uri, 'resourceId=3');
    assert.equal(code, 0);
    assert.equal(JSON.parse(stdout).contents[0].uri, 'demo://resource/dynamic/text/3');
    const got = await run('prompt', 'everything', 'args-prompt', 'city=Oslo');
    assert.match(got.stdout, /What's weather in Oslo\?/);
  });

  it('come from a server without a file', async () => {
    const { command, args } = servers.everything;
    const line = [command, ...args].map((part) => `"${part}"`).join(' ');
    const uri = 'demo://resource/dynamic/text/{resourceId}';
    const read = await run('read', uri, 'resourceId=1', '--command', line);
    assert.equal(JSON.parse(read.stdout).contents[0].uri, 'demo://resource/dynamic/text/1');
    const got = await run('prompt', 'args-prompt', 'city=Oslo', '--command', line);
    assert.match(got.stdout, /Oslo/);
  });

  it('fail with the server’s error and the nearest name', async () => {
    const book = await run('read', 'library', 'book://frist');
    assert.match(book.stderr, /resource "book:\/\/frist" of "library": .*no such book/);
    assert.match(book.stderr, /\. Did you mean "book:\/\/first"\?/);
    assert.equal(book.code, 1);
    const escaped = await run('read', 'library', 'book://{id}', 'id=a b');
    assert.equal(JSON.parse(escaped.stdout).contents[0].uri, 'book://a%20b');
    const template = await run('read', 'library', 'book://{id}');
    assert.match(template.stderr, /This is a template: add its values as id=…\./);
    const prompt = await run('prompt', 'library', 'sumary');
    assert.match(prompt.stderr, /prompt "sumary" of "library": .*Did you mean "summary"\?/);
    assert.equal(prompt.code, 1);
    const server = await run('read', 'libary', 'book://first');
    assert.match(server.stderr, /There is no server "libary"\. Did you mean "library"\?/);
    assert.equal(server.code, 2);
  });

  it('report wrong usage if the arguments do not match', async () => {
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [['read', 'library'], /read requires the name of a server and the URI/],
      [['prompt', 'library'], /prompt requires the names of a server and of one/],
      [['read', 'library', 'book://{id}', 'di=1'], /The URI has no \{di\}\. Did you mean "id"\?/],
      [['read', 'library', 'book://{id}', 'id='], /The URI requires a value: id=…/],
      [['read', 'library', 'book://{id', 'id=1'], /This URI template cannot be used/],
      [['prompt', 'library', 'summary', 'n:=5'], /"n" takes a text: write n=value\./],
      [['prompt', 'library', 'summary', 'n=5', 'n=6'], /"n" is a duplicate/],
      [['read', 'library', 'book://first', '--max-risk', 'readOnly'], /has no option --max-risk/],
    ];
    for (const [parameters, expected] of cases) {
      const { stderr, code } = await run(...parameters);
      assert.match(stderr, expected);
      assert.equal(code, 2, parameters.join(' '));
    }
  });

  it('use secrets of the environment and never show them', async () => {
    const parameters = ['prompt', 'library', 'summary', 'style=${input:key}'];
    const env = { TOOLGATE_INPUT_key: secret };
    const { stdout, stderr, code } = await runCommand(workspace(files()), parameters, env);
    assert.equal(code, 0, stderr);
    assert.equal(`${stdout}${stderr}`.includes(secret), false);
  });

  it('are written as text for people', async () => {
    const read = await run('read', 'library', 'book://first', '--text');
    assert.equal(read.stdout, '{"a":1}\n');
    const got = await run('prompt', 'library', 'summary', 'style=short', '--text');
    assert.equal(got.stdout, 'user: {"style":"short"}\nassistant: (image, image/png)\n');
    const called = await run('call', 'library', 'draw', '--text', '--max-risk', 'destructive');
    assert.equal(called.stdout, 'done\n(image, image/png)\n(image, image/png)\n');
  });

  it('are recorded and replayed', async () => {
    const folder = workspace(files());
    const words = ['read', 'library', 'book://first'];
    const recorded = await runCommand(folder, [...words, '--record', 'run.mcprecord']);
    writeFileSync(
      path.join(folder, '.mcp.json'),
      JSON.stringify({ mcpServers: { library: servers.missing } }),
    );
    const replayed = await runProgram(folder, [...words, '--replay', 'run.mcprecord']);
    assert.deepEqual([replayed.stdout, replayed.code], [recorded.stdout, 0]);
  });

  it('tell why the read failed soon if the server is slow to list, or has ended', async () => {
    const slow = scripted((server: ScriptedServer) => {
      server.capabilities = { tools: {}, resources: {} };
      server.on('resources/list', () => undefined);
      server.on('resources/read', (message) => {
        if (message.params?.['uri'] === 'a:end') process.exit(3);
        server.fail(message, -32002, 'no such thing');
      });
    });
    const folder = workspace({ '.mcp.json': { mcpServers: { slow } } });
    // The list itself has a time limit that is longer than that of this test.
    const unlisted = await runCommand(folder, 'read slow a:b --timeout 3600000');
    assert.deepEqual([unlisted.code, /no such thing/.test(unlisted.stderr)], [1, true]);
    const ended = await runCommand(folder, 'read slow a:end');
    assert.equal(ended.code, 1);
    assert.match(ended.stderr, /: the connection ended \(exit code 3\)\.$/m);
  });
});

describe('Files of a result', () => {
  it('are written byte for byte, and never overwrite another file', async () => {
    const folder = workspace(files());
    const save = (...words: readonly string[]) => runCommand(folder, [...words, '--save', 'out']);
    const read = await save('read', 'library', 'book://cover.png');
    const file = path.join(folder, 'out', 'cover.png');
    assert.equal(readFileSync(file).toString('base64'), png);
    const savedAs = path.join('out', 'cover.png');
    assert.deepEqual(JSON.parse(read.stdout), {
      contents: [{ uri: 'book://cover.png', mimeType: 'image/png', savedAs }],
    });
    assert.equal(read.stderr, `toolgate: Saved ${savedAs} (8 bytes).\n`);
    await save('read', 'library', 'book://cover.png');
    await save('read', 'library', 'book://first');
    const drawn = await save('call', 'library', 'draw', '--max-risk', 'destructive');
    assert.equal(JSON.parse(drawn.stdout).content[1].savedAs, path.join('out', 'image.png'));
    const got = await save('prompt', 'library', 'summary');
    assert.deepEqual(JSON.parse(got.stdout).messages[1].content, {
      type: 'image',
      mimeType: 'image/png',
      savedAs: path.join('out', 'image-3.png'),
    });
    const written = ['cover-2.png', 'cover.png', 'first.json'];
    const images = ['image-2.png', 'image-3.png', 'image.png'];
    assert.deepEqual(readdirSync(path.join(folder, 'out')).toSorted(), [...written, ...images]);
    assert.equal(readFileSync(path.join(folder, 'out', 'first.json'), 'utf8'), '{"a":1}');
  });

  it('are not written through a link', async () => {
    const folder = workspace({ ...files(), 'out/other.txt': '' });
    symlinkSync(path.join(folder, 'elsewhere.png'), path.join(folder, 'out', 'cover.png'));
    await runCommand(folder, ['read', 'library', 'book://cover.png', '--save', 'out']);
    assert.equal(existsSync(path.join(folder, 'elsewhere.png')), false);
    assert.equal(existsSync(path.join(folder, 'out', 'cover-2.png')), true);
  });

  it('stay in the result if they cannot be written, or contain a secret', async () => {
    const folder = workspace({ ...files(), out: 'a file' });
    const words = ['call', 'library', 'draw', '--max-risk', 'destructive', '--save', 'out'];
    const { stdout, stderr, code } = await runCommand(folder, words);
    assert.equal(JSON.parse(stdout).content[1].data, png);
    assert.match(stderr, /Nothing more can be saved in out: /);
    assert.equal(code, 1);
    const env = { TOOLGATE_INPUT_id: 'secret', TOOLGATE_INPUT_own: secret };
    const prompt = ['read', 'library', 'book://{id}', 'id=secret', '--save', 'kept'];
    const entry = { ...scripted(library), env: { KEY: '${input:own}' } };
    writeFileSync(
      path.join(folder, '.vscode.json'),
      JSON.stringify({
        servers: { library: entry },
        inputs: [{ id: 'own', type: 'promptString' }],
      }),
    );
    const read = await runCommand(folder, [...prompt, '--server-config', '.vscode.json'], env);
    assert.match(read.stderr, /secret\.txt repeats a secret and is not saved/);
    assert.equal(JSON.parse(read.stdout).contents[0].text, '(secret)');
    assert.deepEqual(readdirSync(path.join(folder, 'kept')), []);
  });
});
