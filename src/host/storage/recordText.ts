import { recordFileName, type RecordBytes } from './recordFile';
import { parseJson } from '../../core/json/parseJson';
import { isObject } from '../../core/json/shapes';
import { stringifyExactly } from '../../core/json/writtenNumber';

/** Grows when an older extension could misread what a newer one wrote. */
const version = 1;

/** What is wrong with the content of a file. */
export type RecordFault =
  | 'notJson'
  /** JSON, but not what such a record is made of. */
  | 'notARecord'
  /** The record of another file: a copy, or renamed. */
  | 'otherKey'
  | 'tooLarge'
  /** Written by a newer version. */
  | 'otherVersion';

export interface KeptRecord<T> {
  readonly kind: 'record';
  readonly key: string;
  readonly record: T;
  /** See {@link RecordOrder}; absent in records of older versions. */
  readonly order?: number;
}

export type ParsedRecord<T> =
  KeptRecord<T> | { readonly kind: 'fault'; readonly fault: RecordFault; readonly detail: string };

/**
 * A record as its file holds it; for people who look, too.
 * @throws {Error} what is nested too deeply, and what is larger than `maxBytes`
 */
export function recordText(
  key: string,
  record: object,
  { order, maxBytes = Infinity }: { readonly order?: number; readonly maxBytes?: number } = {},
): string {
  const text = `${stringifyExactly({ version, key, order, record }, 2)}\n`;
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return text;
  throw new Error(`the record has ${bytes} bytes, more than ${maxBytes}`);
}

/** The record in a file of this name. Never throws, whatever the file holds. */
export function parseRecordBytes<T>(
  content: RecordBytes,
  fileName: string,
  parse: (value: unknown) => T | undefined,
): ParsedRecord<T> {
  if (content.kind === 'tooLarge') return fault('tooLarge');
  let value: unknown;
  try {
    // Strict, because text that is no UTF-8 would come back altered.
    value = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(content.bytes));
  } catch (error) {
    return fault('notJson', error);
  }
  if (!isObject(value)) return fault('notARecord');
  if (value.version !== version) {
    const isNewer = typeof value.version === 'number' && value.version > version;
    return fault(isNewer ? 'otherVersion' : 'notARecord');
  }
  const { key, order } = value;
  if (typeof key !== 'string') return fault('notARecord');
  if (recordFileName(key) !== fileName) return fault('otherKey');
  try {
    const record = parse(value.record);
    if (record === undefined) return fault('notARecord');
    return {
      kind: 'record',
      key,
      record,
      ...(Number.isSafeInteger(order) ? { order: Number(order) } : {}),
    };
  } catch (error) {
    return fault('notARecord', error);
  }
}

function fault(code: RecordFault, error?: unknown): ParsedRecord<never> {
  const detail = error instanceof Error ? error.message : code;
  return { kind: 'fault', fault: code, detail };
}
