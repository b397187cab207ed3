import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { transformSync } from 'esbuild';
import { toCurlText, toTypeScriptText } from '../../src/host/callFiles/callCopies';
import type { ServerConfig } from '../../src/host/configuration/serverConfig';
import { bundled } from '../servers/bundled';
import { Sdk1Server } from '../servers/httpSdk1';
import { MatrixHttp, servings } from '../servers/matrixHttp';
import { resultsFolder } from '../vscode/paths';

const call = { server: 's', tool: 'echo', arguments: { text: `it's "$HOME" \`id\` ü` } };

function configOf(transport: ServerConfig['transport']): ServerConfig {
  return { id: 's', label: 's', source: { kind: 'setting' }, transport };
}

function http(url: string, headers: Readonly<Record<string, string>> = {}): ServerConfig {
  return configOf({ kind: 'http', url, headers });
}

async function outputOf(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const child = spawn(command, args, { env: { ...process.env, ...env } });
  const [output, errors] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    child.exitCode ?? once(child, 'close'),
  ]);
  if (output === '') throw new Error(errors);
  return output;
}

/** The answer as JSON, or the first event that holds one. */
function answerOf(body: string): unknown {
  const line = body.split('\n').find((each) => each.startsWith('data: {')) ?? body;
  return JSON.parse(line.replace('data: ', '')).result.content;
}

/** The server ends also where the work fails. */
async function served<T>(server: { stop(): Promise<void> }, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await server.stop();
  }
}

const shell = (script: string, env?: Readonly<Record<string, string>>) =>
  outputOf('sh', ['-c', script], env);

describe('Running a copied call', () => {
  let folder: string;

  before(() => {
    mkdirSync(resultsFolder, { recursive: true });
    // Inside the project, where the SDK is found.
    folder = mkdtempSync(path.join(resultsFolder, 'copied-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  async function program(config: ServerConfig, env?: Readonly<Record<string, string>>) {
    const file = path.join(folder, `call-${config.transport.kind}.mjs`);
    const { code } = transformSync(toTypeScriptText(call, { config }), { loader: 'ts' });
    writeFileSync(file, code);
    return JSON.parse(await outputOf(process.execPath, [file], env)).content;
  }

  const echoed = [{ type: 'text', text: call.arguments.text }];

  it('reaches a server of the newest revision by cURL, with its headers and query', async () => {
    const both = servings.bothEras2(() => undefined);
    let seen: unknown;
    const server = await MatrixHttp.start(
      {
        handle: (request, response) => {
          seen = [request.url, request.headers.authorization, request.headers['mcp-session-id']];
          return both.handle(request, response);
        },
        stop: () => both.stop(),
      },
      () => undefined,
    );
    const config = http(`${server.url}?api_key=hunter2`, { Authorization: 'Bearer hunter2' });
    const textual = { ...call, tool: 'text' };
    const script = toCurlText(textual, { config, revision: '2026-07-28' }) ?? '';
    const env = { MCP_API_KEY: 'k', MCP_AUTHORIZATION: 'Bearer t' };
    const answer = await served(server, () => shell(script, env));
    assert.deepEqual(seen, ['/mcp?api_key=k', 'Bearer t', undefined]);
    assert.match(JSON.stringify(answerOf(answer)), /"type":"text"/);
  });

  it('reaches servers with and without sessions by cURL', async () => {
    for (const kind of ['stateless', 'stateful', 'statefulJson'] as const) {
      const server = await Sdk1Server.start(kind);
      const session = kind === 'stateless' ? '' : await openSession(server.url);
      const script = toCurlText(call, { config: http(server.url), revision: '2025-06-18' }) ?? '';
      const answer = await served(server, () => shell(script, { MCP_SESSION_ID: session }));
      assert.deepEqual(answerOf(answer), echoed, kind);
    }
  });

  it('reaches servers over every transport by the official SDK', async () => {
    const server = await Sdk1Server.start('stateful');
    const content = await served(server, () => program(http(server.url)));
    assert.deepEqual(content, echoed);
    const sse = await Sdk1Server.start('sse');
    const transport = { kind: 'sse', url: sse.url, headers: {} } as const;
    assert.deepEqual(await served(sse, () => program(configOf(transport))), echoed);
    const args = [bundled(path.resolve(__dirname, '../servers/sdk2.ts'))];
    const stdio = { kind: 'stdio', command: process.execPath, args, env: { TOKEN: 'x' } } as const;
    assert.deepEqual(await program(configOf(stdio), { TOKEN: 'y' }), echoed);
  });
});

async function openSession(url: string): Promise<string> {
  const params = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  };
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
  const response = await fetch(url, { method: 'POST', headers, body });
  await response.text();
  return response.headers.get('mcp-session-id') ?? '';
}
