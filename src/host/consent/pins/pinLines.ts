import { isObject } from '../../../core/json/shapes';
import { isFingerprint } from '../facts/fingerprints';
import type { AcceptedTool } from './pinMarks';

// The file of a server's pins: a line that says whose it is, then one line for each definition that
// was accepted, `[name, fingerprint, firstSeenAt, acceptedAt]<tab>definition`, or `[name]` for a
// tool whose end was accepted. The last line of a name counts, so that accepting is appending, and
// two windows that accept at the same time lose nothing. JSON holds no tab, so that a line is
// read without reading its definition.

const tab = 0x09;
export const newline = 0x0a;

/** Grows when an older extension could misread what a newer one wrote. */
const version = 1;

export interface PinHeader {
  /** Another one for each time the file is written as a whole. */
  readonly id: string;
  readonly server: string;
}

export function headerLine({ id, server }: PinHeader): string {
  return `${JSON.stringify({ toolgatePins: version, id, server })}\n`;
}

/** The header, or why it is none. */
export function parseHeader(line: string): PinHeader | 'notARecord' | 'otherVersion' {
  const value = parse(line);
  if (!isObject(value)) return 'notARecord';
  const { toolgatePins, id, server } = value;
  if (typeof toolgatePins === 'number' && toolgatePins > version) return 'otherVersion';
  if (toolgatePins !== version || typeof id !== 'string' || typeof server !== 'string') {
    return 'notARecord';
  }
  return { id, server };
}

/** What was accepted of one tool, and when. */
export interface Pin extends AcceptedTool {
  /** Epoch ms. */
  readonly firstSeenAt: number;
  /** Epoch ms. */
  readonly acceptedAt: number;
}

/** A definition that is accepted from now on, or, without one, the end of a tool. */
export interface PinChange {
  readonly name: string;
  readonly pin?: Pin;
  /** One line of JSON, for {@link pin}. */
  readonly definition?: string;
}

export function changeLine({ name, pin, definition }: PinChange): string {
  if (pin === undefined) return `${JSON.stringify([name])}\n`;
  const head = [name, pin.fingerprint, pin.firstSeenAt, pin.acceptedAt];
  return `${JSON.stringify(head)}\t${definition ?? '{}'}\n`;
}

/** A pin, and where its definition is. */
export interface PlacedPin extends Pin {
  /** In the file, in bytes. */
  readonly offset?: number;
  readonly length?: number;
  /** Where the file could not be written. */
  readonly definition?: string;
}

export interface PlacedChange {
  readonly name: string;
  readonly pin?: PlacedPin;
}

/** A line that begins at `offset` of its file; `undefined`: nobody of us wrote it. */
export function parseLine(line: Buffer, offset: number): PlacedChange | undefined {
  const at = line.indexOf(tab);
  const value = parse(line.toString('utf8', 0, at < 0 ? line.length : at));
  if (!Array.isArray(value)) return undefined;
  const parts: readonly unknown[] = value;
  const [name, fingerprint, firstSeenAt, acceptedAt] = parts;
  if (typeof name !== 'string') return undefined;
  if (parts.length === 1) return { name };
  if (!isFingerprint(fingerprint) || at < 0) return undefined;
  if (typeof firstSeenAt !== 'number' || typeof acceptedAt !== 'number') return undefined;
  const place = { offset: offset + at + 1, length: line.length - at - 1 };
  return { name, pin: { fingerprint, firstSeenAt, acceptedAt, ...place } };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
