import { randomUUID } from 'node:crypto';
// Servers that work, and do not look like the specification's examples. Each oddity is one of the
// wire, seen in a server that people use or named by the requirements as a trap. What is the same
// for every transport is here: what is said. How it is framed is in oddHttp.ts and oddStdio.ts.

/** Where a server is, and what it speaks there. */
export const places = [
  'stdio, stateful',
  'stdio, stateless',
  'HTTP JSON, stateful',
  'HTTP events, stateful',
  'HTTP JSON, stateless',
  'HTTP events, stateless',
  'HTTP+SSE',
] as const;
export type Place = (typeof places)[number];

export interface OddMessage {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}
type Json = Readonly<Record<string, unknown>>;

/** An oddity in what is said. */
export interface Saying {
  readonly name: string;
  /** Absent: everywhere. */
  readonly only?: (place: Place) => boolean;
  /** Members of the tool that is called. */
  readonly tool?: Json;
  /** Beside that tool in the list. */
  readonly otherTools?: readonly unknown[];
  /** In place of the result of a method. */
  readonly results?: Readonly<Record<string, (usual: Json) => unknown>>;
  /** What is sent in place of an answer; several things in order, except as JSON over HTTP. */
  readonly says?: (answer: Json, request: OddMessage) => readonly unknown[];
}

const isStateless = (place: Place) => place.endsWith('stateless');
/** Where several messages can come one after the other. */
const inOrder = (place: Place) => !place.startsWith('HTTP JSON');
const stateful = (place: Place) => !isStateless(place);

export const echo = { name: 'echo', inputSchema: { type: 'object' } };
const fine = [{ type: 'text', text: 'fine' }];
const note = (method: string, params: Json = {}) => ({ jsonrpc: '2.0', method, params });
const isHandshake = ({ method }: OddMessage) =>
  method === 'initialize' || method === 'server/discover';

/** What a server like all others answers; undefined to what needs no answer. */
export function answerTo(request: OddMessage, place: Place, odd?: Saying): Json | undefined {
  const { id, method = '' } = request;
  if (id === undefined || request.method === undefined) return undefined;
  const usual = usualResult(request, place, odd);
  if (usual === undefined) {
    return { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } };
  }
  return { jsonrpc: '2.0', id, result: odd?.results?.[method]?.(usual) ?? usual };
}

function usualResult({ method, params }: OddMessage, place: Place, odd?: Saying): Json | undefined {
  const complete = isStateless(place) ? { resultType: 'complete' } : {};
  const serverInfo = { name: 'odd', version: '1' };
  switch (method ?? '') {
    case 'initialize':
      if (isStateless(place)) return undefined;
      return {
        protocolVersion: params?.['protocolVersion'],
        capabilities: { tools: {} },
        serverInfo,
      };
    case 'server/discover': {
      if (!isStateless(place)) return undefined;
      const meta = { 'io.modelcontextprotocol/serverInfo': serverInfo };
      const supportedVersions = ['2026-07-28'];
      const caching = { ttlMs: 0, cacheScope: 'private' };
      return {
        ...complete,
        supportedVersions,
        capabilities: { tools: {} },
        ...caching,
        _meta: meta,
      };
    }
    case 'tools/list': {
      const caching = isStateless(place) ? { ttlMs: 0, cacheScope: 'private' } : {};
      const tools = [{ ...echo, ...odd?.tool }, ...(odd?.otherTools ?? [])];
      return { ...complete, ...caching, tools };
    }
    case 'tools/call':
      return { ...complete, content: fine };
    case 'ping':
      return complete;
    default:
      return undefined;
  }
}

const call = (change: (usual: Json) => unknown) => ({ 'tools/call': change });
const list = (change: (usual: Json) => unknown) => ({ 'tools/list': change });

export const sayings: readonly Saying[] = [
  { name: 'nothing odd' },
  {
    name: 'ids come back as strings',
    says: (answer) => [{ ...answer, id: String(answer['id']) }],
  },
  {
    name: 'members that nobody knows',
    says: (answer) => [{ ...answer, trace: 'x', result: withMember(answer['result']) }],
  },
  { name: '"error": null beside the result', says: (answer) => [{ ...answer, error: null }] },
  { name: 'no "jsonrpc" in answers', says: (answer) => [{ ...answer, jsonrpc: undefined }] },
  { name: 'an array of one answer', says: (answer, it) => [isHandshake(it) ? answer : [answer]] },
  {
    name: 'notifications before the answer',
    only: inOrder,
    says: (answer) => [
      note('notifications/message', { level: 'info', data: 'x' }),
      note('notifications/progress', { progressToken: 'nobody', progress: 1 }),
      note('notifications/tools/list_changed'),
      note('notifications/of/tomorrow'),
      answer,
    ],
  },
  { name: 'every answer twice', only: inOrder, says: (answer) => [answer, answer] },
  {
    name: 'an answer to nobody first',
    only: inOrder,
    says: (answer) => [{ jsonrpc: '2.0', id: 9_999, result: {} }, answer],
  },
  {
    name: 'a ping before each answer',
    only: (place) => inOrder(place) && stateful(place),
    says: (answer) => [{ jsonrpc: '2.0', id: 'p', method: 'ping' }, answer],
  },
  {
    name: 'an error without id before the answer',
    only: (place) => place === 'stdio, stateful',
    says: (answer) => [{ jsonrpc: '2.0', error: { code: -32000, message: 'x' } }, answer],
  },
  { name: '"nextCursor": null', results: list((usual) => ({ ...usual, nextCursor: null })) },
  {
    name: '"nextCursor": "" on each page',
    results: list((usual) => ({ ...usual, nextCursor: '' })),
  },
  { name: 'the same cursor for ever', results: list((usual) => ({ ...usual, nextCursor: 'a' })) },
  {
    name: 'the same page for ever, with another cursor each time',
    results: list((usual) => ({ ...usual, nextCursor: randomUUID() })),
  },
  { name: '"_meta": null', results: list((usual) => ({ ...usual, _meta: null })) },
  {
    name: 'a schema with nothing but $schema and type',
    tool: {
      inputSchema: { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' },
    },
  },
  {
    name: 'a schema with nothing but $schema, beside',
    otherTools: [
      { name: 'b', inputSchema: { $schema: 'https://json-schema.org/draft/2020-12/schema' } },
    ],
  },
  { name: 'an empty schema, beside', otherTools: [{ name: 'b', inputSchema: {} }] },
  { name: 'no schema, beside', otherTools: [{ name: 'b' }] },
  { name: 'a schema that is null, beside', otherTools: [{ name: 'b', inputSchema: null }] },
  {
    name: 'a required property with a default',
    tool: {
      inputSchema: {
        type: 'object',
        properties: { text: { type: 'string', default: 'a' } },
        required: ['text'],
      },
    },
  },
  {
    name: 'a schema with "properties": null',
    tool: { inputSchema: { type: 'object', properties: null } },
  },
  {
    name: 'a schema with "required": null',
    tool: { inputSchema: { type: 'object', required: null } },
  },
  { name: 'null for title and description', tool: { title: null, description: null } },
  { name: 'null for annotations', tool: { annotations: null } },
  { name: 'null for the output schema', tool: { outputSchema: null } },
  { name: 'hints that are texts', tool: { annotations: { readOnlyHint: 'true' } } },
  { name: 'an empty name, beside', otherTools: [{ ...echo, name: '' }] },
  { name: 'a name with spaces and slashes, beside', otherTools: [{ ...echo, name: 'a b/c.d' }] },
  { name: 'the same tool twice', otherTools: [echo] },
  {
    name: 'a result inside of "toolResult"',
    results: call(() => ({ toolResult: { content: fine } })),
  },
  { name: 'a text inside of "toolResult"', results: call(() => ({ toolResult: 'fine' })) },
  { name: '"isError": null', results: call((usual) => ({ ...usual, isError: null })) },
  {
    name: '"structuredContent": null',
    results: call((usual) => ({ ...usual, structuredContent: null })),
  },
  ...[[1], 'a', 5].map((structuredContent) => ({
    name: `"structuredContent": ${JSON.stringify(structuredContent)}`,
    results: call((usual) => ({ ...usual, structuredContent })),
  })),
  {
    name: 'a picture as a data URI, beside',
    results: call((usual) => ({
      ...usual,
      content: [...fine, { type: 'image', data: 'data:image/png;base64,iVBORw0KGgo=' }],
    })),
  },
  {
    name: 'null for annotations of content',
    results: call((usual) => ({ ...usual, content: [{ ...fine[0], annotations: null }] })),
  },
  {
    name: 'content of an unknown type, beside',
    results: call((usual) => ({ ...usual, content: [...fine, { type: 'video', data: '' }] })),
  },
  {
    name: 'a resource without contents, beside',
    results: call((usual) => ({
      ...usual,
      content: [...fine, { type: 'resource', resource: { uri: 'a:b' } }],
    })),
  },
  {
    name: 'no version of the server',
    results: {
      initialize: (usual) => ({ ...usual, serverInfo: { name: 'odd' } }),
      'server/discover': (usual) => ({ ...usual, _meta: {} }),
    },
  },
  ...['2024-11-05', '2025-03-26', '2025-06-18'].map((protocolVersion) => ({
    name: `answers ${protocolVersion} to whatever is offered`,
    only: stateful,
    results: { initialize: (usual: Json) => ({ ...usual, protocolVersion }) },
  })),
  {
    name: 'capabilities that nobody knows, and some that are null',
    results: {
      initialize: (usual) => ({ ...usual, capabilities: { tools: {}, logging: null, a: 1 } }),
      'server/discover': (usual) => ({
        ...usual,
        capabilities: { tools: {}, prompts: null, a: 1 },
      }),
    },
  },
];

function withMember(result: unknown): unknown {
  return typeof result === 'object' ? { ...result, ofTomorrow: { a: 1 } } : result;
}
