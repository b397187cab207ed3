import { setTimeout as sleep } from 'node:timers/promises';

// What every server of the matrix offers, whichever SDK it is built with. Only what the SDKs do
// differently is in their own files.

export const serverInfo = { name: 'matrix', version: '1.0.0' };
export const capabilities = { tools: { listChanged: true }, resources: {}, logging: {} };

/** Tells the test what the server sees: on stderr of a process, by a call in the same one. */
export type Tell = (fact: string) => void;

const anything = { type: 'object' as const };
const counted = {
  ...anything,
  properties: { count: { type: 'number' } },
  required: ['count'],
};
const names = 'text image structured fails progress hang change log ask roots'.split(' ');
/** So that the list has three pages. */
const pageSize = 4;

/** What changes while a server runs. */
export class Offer {
  #tools = names;

  /** Changes the list of tools. */
  extend(): void {
    this.#tools = [...this.#tools, 'added'];
  }

  /** One page of `tools/list`. */
  page(cursor: string | undefined) {
    const start = Number(cursor ?? 0);
    const tools = this.#tools.slice(start, start + pageSize).map((name) => ({
      name,
      inputSchema: anything,
      ...(name === 'structured' ? { outputSchema: counted } : {}),
    }));
    const end = start + pageSize;
    return end < this.#tools.length ? { tools, nextCursor: String(end) } : { tools };
  }
}

export const resourceUri = 'memo://matrix/a%20memo';

export function resourceContents(uri: string) {
  return { contents: [{ uri, mimeType: 'text/plain', text: 'grüße' }] };
}

export const question = {
  message: 'Who are you?',
  requestedSchema: {
    type: 'object' as const,
    properties: {
      name: { type: 'string' as const, title: 'Name' },
      agree: { type: 'boolean' as const, default: true },
    },
    required: ['name'],
  },
};

/** What a tool needs of its SDK. */
export interface Surroundings {
  readonly signal: AbortSignal;
  readonly notify: Tell;
  report(progress: number, total: number): Promise<void>;
  log(data: unknown): Promise<void>;
  /** The list changed; says so to whoever wants to know. */
  changed(): Promise<void>;
}

export const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });

/** `tools/call`, except for what asks the client. */
export async function callTool(name: string, args: unknown, surroundings: Surroundings) {
  const { signal, notify } = surroundings;
  const { which } = Object(args);
  switch (name) {
    case 'text':
      return text('grüße 🌍');
    case 'image':
      return { content: [{ type: 'image' as const, data: 'iVBORw==', mimeType: 'image/png' }] };
    case 'structured':
      return { ...text('{"count":3}'), structuredContent: { count: 3 } };
    case 'fails':
      return { ...text('no such flower'), isError: true };
    case 'progress':
      for (const step of [1, 2, 3]) await surroundings.report(step, 3);
      return text('done');
    case 'hang':
      notify(`hangs ${which}`);
      await sleep(2 ** 31 - 1, undefined, { signal, ref: false }).catch(() => undefined);
      notify(`cancelled ${which}`);
      return text('too late');
    case 'log':
      await surroundings.log({ said: 'by the server' });
      return text('logged');
    case 'change':
      await surroundings.changed();
      return text('changed');
    default:
      throw new Error(`no tool ${name}`);
  }
}
