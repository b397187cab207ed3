import type { Place } from './oddMessages';

/** An oddity in how events, or lines, are written. */
export interface Framing {
  readonly name: string;
  readonly only?: (place: Place) => boolean;
  /** The bytes of one message, each piece in a write of its own. */
  readonly pieces: (json: string) => readonly (string | Buffer)[];
  /** What comes before everything else. */
  readonly before?: string;
}

const isEvents = (place: Place) => place.includes('events') || place === 'HTTP+SSE';
const isLines = (place: Place) => place.startsWith('stdio');
const bytes = (text: string) => [...Buffer.from(text)].map((byte) => Buffer.from([byte]));
const event = (json: string) => `event: message\ndata: ${json}\n\n`;

const events: readonly Omit<Framing, 'only'>[] = [
  {
    name: 'comments between events',
    before: ': hello\n\n',
    pieces: (it) => [`: x\n${event(it)}:\n\n`],
  },
  { name: 'lines that end with CR LF', pieces: (it) => [event(it).replaceAll('\n', '\r\n')] },
  { name: 'lines that end with CR', pieces: (it) => [event(it).replaceAll('\n', '\r')] },
  { name: 'a byte order mark', before: '\uFEFF', pieces: (it) => [event(it)] },
  { name: 'byte by byte', pieces: (it) => bytes(event(it)) },
  {
    name: 'data of several lines',
    pieces: (it) => [`data: ${it.replace(/^\{/, '{\ndata: ').replace(/\}$/, '\ndata: }')}\n\n`],
  },
  { name: 'no space after the colon', pieces: (it) => [`event:message\ndata:${it}\n\n`] },
  { name: 'no name of the event', pieces: (it) => [`data: ${it}\n\n`] },
  { name: 'fields that nobody knows', pieces: (it) => [`foo: bar\nbaz\n${event(it)}`] },
  { name: 'an empty event first', pieces: (it) => ['id: 0\nretry: 100\ndata:\n\n', event(it)] },
  { name: 'events of other types', pieces: (it) => [`event: ping\ndata: {}\n\n${event(it)}`] },
  { name: 'an event that is no JSON', pieces: (it) => [`data: ping\n\n${event(it)}`] },
];

const lines: readonly Omit<Framing, 'only'>[] = [
  {
    name: 'a banner on stdout',
    before: 'Server started!\n\n\u001B[1mready\u001B[0m\n',
    pieces: (it) => [`${it}\n`],
  },
  { name: 'a log on stdout', pieces: (it) => [`[info] got it\n${it}\ndone\n`] },
  {
    name: 'a log of JSON on stdout',
    pieces: (it) => [`{"level":30,"method":"x"}\n5\n"a"\nnull\n${it}\n`],
  },
  { name: 'lines that end with CR LF', pieces: (it) => [`${it}\r\n`] },
  { name: 'empty lines', before: '\n\r\n', pieces: (it) => [`\n${it}\n\n`] },
  { name: 'byte by byte', pieces: (it) => bytes(`${it}\n`) },
  { name: 'spaces round each message', pieces: (it) => [`  ${it}\t\n`] },
  { name: 'a byte order mark', before: '\uFEFF', pieces: (it) => [`${it}\n`] },
  { name: 'a newline before each message, too', pieces: (it) => [`\n${it}\n`] },
  {
    name: 'Content-Length headers in place of newlines',
    pieces: (it) => [`Content-Length: ${Buffer.byteLength(it)}\r\n\r\n${it}`],
  },
  { name: 'no newline behind messages', pieces: (it) => [it] },
];

export const framings: readonly Framing[] = [
  ...events.map((framing) => ({ ...framing, only: isEvents })),
  ...lines.map((framing) => ({ ...framing, only: isLines })),
];
