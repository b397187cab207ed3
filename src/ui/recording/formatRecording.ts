import * as l10n from '@vscode/l10n';
import { isJsonObject, isObject } from '../../core/json/shapes';
import type { RecordingBeginning, RecordingRow } from '../../core/recording/readRecording';
import type { RecordingError } from '../../core/recording/recordedLine';
import { visibleText } from '../../core/visibleText';
import { briefArguments } from '../format/formatArguments';
import { formatColumns, type ColumnRow } from '../format/formatColumns';
import { formatSize } from '../format/formatFile';
import { formatDuration } from '../format/formatTime';

/** The line of a message in the document. */
export interface RowLine {
  readonly line: number;
  /** Column at which its time ends. */
  readonly end: number;
  /** Holds no message; its document reads it again. */
  readonly row: Pick<RecordingRow, 'offset' | 'bytes'>;
}

export interface RecordingText {
  readonly text: string;
  readonly rows: readonly RowLine[];
  /** The line that offers more messages. Absent if there are none. */
  readonly moreLine?: number;
}

const maxBriefChars = 120;
const maxNameChars = 60;

/** Returns a recording as plain text: its header, then a line for each message. */
export function formatRecording(name: string, beginning: RecordingBeginning): RecordingText {
  const { rows, servers, end, size } = beginning;
  const shown = servers.map((server) => visibleText(server, maxNameChars)).join(', ');
  const lines = [
    l10n.t('Recording {0}', visibleText(name, maxNameChars)),
    '',
    l10n.t('Messages: {0}. Click a time to open the full message.', rows.length),
    l10n.t('Servers: {0}', shown === '' ? l10n.t('none') : shown),
    '',
  ];
  const table = formatColumns(columns(), cellsOf(rows));
  if (rows.length > 0) lines.push(table.heading);
  const first = lines.length;
  for (const line of table.lines) lines.push(line);
  const places = rows.map((row, index) => {
    const begin = (table.lines[index] ?? '').search(/\S/);
    const { at, offset, bytes } = row;
    const timeEnd = Math.max(0, begin) + formatAt(at).length;
    return { line: first + index, end: timeEnd, row: { offset, bytes } };
  });
  const ending = endSentence(end, size);
  if (ending !== undefined) lines.push('', ending);
  const text = [...lines, ''].join('\n');
  return { text, rows: places, ...(end === 'more' ? { moreLine: lines.length - 1 } : {}) };
}

/** Explains why a file is not shown. */
export function recordingSentence(name: string, { code, line }: RecordingError): string {
  const file = visibleText(name, maxNameChars);
  return {
    unreadable: l10n.t('{0} cannot be read.', file),
    tooLarge: l10n.t('{0} is too large for a recording.', file),
    noRecording: l10n.t('{0} is not a recording.', file),
    brokenExport: l10n.t('{0} is an incomplete or damaged export of the MCP Inspector.', file),
    otherVersion: l10n.t('{0} was recorded by another version of Toolgate.', file),
    badLine: l10n.t('{0} contains a line that is not a message ({1}).', file, line ?? 0),
    tooManyLines: l10n.t('{0} has too many lines for a recording.', file),
  }[code];
}

function endSentence(end: RecordingBeginning['end'], size: number): string | undefined {
  return {
    ended: undefined,
    cut: l10n.t('The recording has no end: it was interrupted, or a part is missing.'),
    broken: l10n.t('The rest is not shown because it is not a message.'),
    more: l10n.t('… The rest is not shown. The file contains {0}.', formatSize(size)),
  }[end];
}

function columns() {
  return [
    { heading: l10n.t('Time'), maxCells: 12, align: 'right' },
    { heading: l10n.t('Server'), maxCells: 18 },
    { heading: l10n.t('To'), maxCells: 6 },
    { heading: l10n.t('Method'), maxCells: 36 },
    { heading: l10n.t('Id'), maxCells: 10 },
    { heading: l10n.t('Duration'), maxCells: 10, align: 'right' },
    { heading: l10n.t('Message'), maxCells: maxBriefChars },
  ] as const;
}

/** Names each answer by the method of its request and adds the elapsed time. */
function cellsOf(rows: readonly RecordingRow[]): readonly ColumnRow[] {
  const open = new Map<string, RecordingRow>();
  return rows.map((row) => {
    const { at, server, to, id, method, message } = row;
    const asked = method === undefined ? keyOf(row, to === 'server' ? 'client' : 'server') : '';
    const request = id === undefined ? undefined : open.get(asked);
    if (request !== undefined) open.delete(asked);
    if (method !== undefined && id !== undefined) open.set(keyOf(row, to), row);
    const took = request === undefined ? '' : formatDuration(Math.max(0, at - request.at));
    return {
      cells: [
        formatAt(at),
        visibleText(server, maxNameChars),
        to === 'server' ? l10n.t('server') : l10n.t('client'),
        visibleText(method ?? request?.method ?? '', maxNameChars),
        id === undefined ? '' : visibleText(String(id), maxNameChars),
        took,
        message === undefined ? l10n.t('(too long for one line)') : briefMessage(message),
      ],
    };
  });
}

function keyOf({ server, id }: RecordingRow, to: 'server' | 'client'): string {
  return JSON.stringify([server, to, id]);
}

function formatAt(at: number): string {
  return l10n.t('{0} s', (at / 1_000).toFixed(3));
}

function briefMessage(message: object): string {
  if (!isObject(message)) return '';
  const { params, result, error } = message;
  if (isObject(error)) return l10n.t('error: {0}', briefOf(error));
  return briefOf(isObject(result) ? result : params);
}

function briefOf(value: unknown): string {
  if (!isObject(value)) return '';
  const { _meta: _, ...rest } = value;
  return isJsonObject(rest) ? briefArguments(rest, maxBriefChars) : '';
}
