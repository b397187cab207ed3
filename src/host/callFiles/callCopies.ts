import { eraOf, type Revision } from '../../core/types';
import { findHeaderParams, paramHeaders } from '../../core/eras/mirroredArguments';
import { encodeHeaderValue } from '../../core/eras/statelessMeta';
import type { JsonObject } from '../../core/json/jsonValue';
import { stringifyExactly } from '../../core/json/writtenNumber';
import type { ServerConfig } from '../configuration/serverConfig';
import { shownText } from '../secrets/redactSecrets';

/** A call to convert into another format. */
export interface CopiedCall {
  readonly server: string;
  readonly tool: string;
  /** Set if `tool` is a prompt that is read. */
  readonly isPrompt?: true;
  readonly arguments?: JsonObject;
  /** The inputs of the call file, as written there. */
  readonly inputs?: JsonObject;
}

/** The server that receives the converted call. */
export interface CopiedServer {
  readonly config: ServerConfig;
  /** Known while the server runs. */
  readonly revision?: Revision;
  /** The schema of the tool's arguments, known while the server runs. */
  readonly inputSchema?: JsonObject;
}

const newestStateful: Revision = '2025-11-25';
const clientName = 'copied-call';
/** Method names of the SDK for the generated program. Nothing here calls them. */
const sdkMethods = { tool: 'callTool', prompt: 'getPrompt' };
const metaPrefix = 'io.modelcontextprotocol/';

/** Returns the text of a call file with this call; omits `arguments` if there are none. */
export function toCallFileText({ inputs, ...call }: CopiedCall): string {
  const written = { ...(inputs === undefined ? {} : { inputs }), ...toFileCall(call) };
  return `${stringifyExactly(written, 2)}\n`;
}

/** Returns the call as the value of a call in a file. */
export function toFileCall({ server, tool, arguments: given, isPrompt }: CopiedCall): JsonObject {
  return {
    server,
    ...(isPrompt === true ? { prompt: tool } : { tool }),
    ...(given === undefined ? {} : { arguments: given }),
  };
}

/** Returns the JSON-RPC request, indented. */
export function toJsonRpcText(call: CopiedCall, server?: CopiedServer): string {
  return `${stringifyExactly(toRequest(call, server?.revision), 2)}\n`;
}

function toRequest(call: CopiedCall, revision?: Revision): JsonObject {
  const { tool, arguments: given } = call;
  const isStateless = revision !== undefined && eraOf(revision) === 'stateless';
  const meta = {
    [`${metaPrefix}protocolVersion`]: revision ?? '',
    [`${metaPrefix}clientInfo`]: { name: clientName, version: '1.0.0' },
    [`${metaPrefix}clientCapabilities`]: {},
  };
  return {
    jsonrpc: '2.0',
    id: 1,
    method: methodOf(call),
    params: {
      ...(isStateless ? { _meta: meta } : {}),
      name: tool,
      ...(given === undefined ? {} : { arguments: given }),
    },
  };
}

function methodOf({ isPrompt }: CopiedCall): string {
  return isPrompt === true ? 'prompts/get' : 'tools/call';
}

/**
 * Returns the call as a curl command for a POSIX shell, or `undefined` for a server without
 * Streamable HTTP. Values of configured headers and of the query string become shell variables,
 * because they may be secrets. The session id becomes a variable as well.
 */
export function toCurlText(call: CopiedCall, server: CopiedServer): string | undefined {
  const { transport } = server.config;
  if (transport.kind !== 'http') return undefined;
  const revision = server.revision ?? newestStateful;
  const isStateless = eraOf(revision) === 'stateless';
  const own = Object.keys(transport.headers).map((name) => [name, variableOf(name)] as const);
  const quotedHeaders = [
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    `MCP-Protocol-Version: ${revision}`,
    ...(isStateless
      ? [
          `Mcp-Method: ${methodOf(call)}`,
          `Mcp-Name: ${encodeHeaderValue(call.tool)}`,
          ...mirroredHeaders(call, server),
        ]
      : []),
  ];
  return `${[
    `curl ${inDoubleQuotes(...addressOf(server.config, transport.url))}`,
    ...quotedHeaders.map((header) => `  -H ${inSingleQuotes(header)}`),
    ...own.map(([name, variable]) => `  -H ${inDoubleQuotes(`${name}: `, variable)}`),
    ...(isStateless ? [] : [`  -H ${inDoubleQuotes('Mcp-Session-Id: ', 'MCP_SESSION_ID')}`]),
    `  -d ${inSingleQuotes(stringifyExactly(toRequest(call, server.revision)))}`,
  ].join(' \\\n')}\n`;
}

/** Returns the headers that repeat arguments (R-205). cURL requires the semicolon for an empty one. */
function mirroredHeaders(
  { arguments: given }: CopiedCall,
  { inputSchema }: CopiedServer,
): readonly string[] {
  const found = findHeaderParams(inputSchema);
  if (found.kind === 'violation') return [];
  try {
    return Object.entries(paramHeaders(found.params, given)).map(([name, value]) =>
      value === '' ? `${name};` : `${name}: ${value}`,
    );
  } catch {
    // A number cannot be sent as a header, so no client can send the call.
    return [];
  }
}

/** Returns text and names of shell variables in turn. */
function addressOf(config: ServerConfig, url: string): readonly string[] {
  let address: URL;
  try {
    address = new URL(url);
  } catch {
    return ['', 'MCP_URL'];
  }
  // The host or the path may contain a secret of the environment.
  if (shownText(config, 'address', url).mask !== undefined) return ['', 'MCP_URL'];
  address.username = '';
  address.password = '';
  address.hash = '';
  const names = [...new Set(address.searchParams.keys())];
  address.search = '';
  return names.reduce<readonly string[]>(
    ([text = '', ...rest], name, index) => {
      const begin = `${index === 0 ? '?' : '&'}${encodeURIComponent(name)}=`;
      const all = [text, ...rest];
      // Each variable is followed by the text that begins the next part.
      return index === 0 ? [text + begin, variableOf(name)] : [...all, begin, variableOf(name)];
    },
    [address.href],
  );
}

/**
 * Returns the variable for a header or for a member of the query. The prefix keeps it apart from
 * variables that every shell has, such as `PATH` and `USER`, whose values would be sent.
 */
function variableOf(name: string): string {
  const plain = name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');
  return plain.startsWith('MCP_') ? plain : `MCP_${plain.replace(/^_/, '')}`;
}

function inSingleQuotes(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Returns a double-quoted string of text and variable names in turn. */
function inDoubleQuotes(...pieces: readonly string[]): string {
  const inner = pieces.map((piece, index) =>
    index % 2 === 0 ? piece.replaceAll(/["\\$`]/g, String.raw`\$&`) : `\${${piece}}`,
  );
  return `"${inner.join('')}"`;
}

/**
 * Returns a program for the official TypeScript SDK (2.x) that makes the call and prints the
 * result. It reads the values of headers and environment variables from its environment.
 */
export function toTypeScriptText(call: CopiedCall, { config }: CopiedServer): string {
  const { transport } = config;
  const isStdio = transport.kind === 'stdio';
  const given = { name: call.tool, ...(call.arguments ? { arguments: call.arguments } : {}) };
  const imports = isStdio
    ? [
        "import { Client } from '@modelcontextprotocol/client';",
        "import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';",
      ]
    : [
        `import { Client, ${httpTransportOf(transport.kind)} } from '@modelcontextprotocol/client';`,
      ];
  return [
    "import { env, stdout } from 'node:process';",
    ...imports,
    '',
    `const client = new Client({ name: ${JSON.stringify(clientName)}, version: '1.0.0' });`,
    'const transport = ' + transportText(config),
    'await client.connect(transport);',
    `const result = await client.${call.isPrompt === true ? sdkMethods.prompt : sdkMethods.tool}(${stringifyExactly(given, 2)});`,
    'stdout.write(`${JSON.stringify(result, undefined, 2)}\\n`);',
    'await client.close();',
    '',
  ].join('\n');
}

function httpTransportOf(kind: 'http' | 'sse'): string {
  return kind === 'http' ? 'StreamableHTTPClientTransport' : 'SSEClientTransport';
}

function transportText(config: ServerConfig): string {
  const { transport } = config;
  if (transport.kind === 'stdio') {
    const { command, env, cwd } = transport;
    const args = transport.args.map((arg, index) => {
      const { value, written = '' } = shownText(config, 'argument', arg, index);
      return value ?? written;
    });
    const names = Object.keys(env).filter((name) => env[name] !== null);
    return [
      'new StdioClientTransport({',
      `  command: ${JSON.stringify(command)},`,
      `  args: ${JSON.stringify(args)},`,
      ...(cwd === undefined ? [] : [`  cwd: ${JSON.stringify(cwd)},`]),
      ...(names.length === 0 ? [] : [`  env: ${recordText(names, (name) => name)},`]),
      '});',
    ].join('\n');
  }
  const names = Object.keys(transport.headers);
  const [base = '', ...query] = addressOf(config, transport.url);
  const address = query.length === 0 ? JSON.stringify(base) : templateText([base, ...query]);
  const headers =
    names.length === 0 ? '' : `, { requestInit: { headers: ${recordText(names, variableOf)} } }`;
  return `new ${httpTransportOf(transport.kind)}(new URL(${address})${headers});`;
}

function recordText(names: readonly string[], toVariable: (name: string) => string): string {
  const members = names.map(
    (name) => `${JSON.stringify(name)}: env[${JSON.stringify(toVariable(name))}] ?? ''`,
  );
  return `{ ${members.join(', ')} }`;
}

function templateText(pieces: readonly string[]): string {
  const inner = pieces.map((piece, index) =>
    index % 2 === 0
      ? piece.replaceAll(/[`\\$]/g, String.raw`\$&`)
      : `\${encodeURIComponent(env[${JSON.stringify(piece)}] ?? '')}`,
  );
  return `\`${inner.join('')}\``;
}
