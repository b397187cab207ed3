import { boundedJson } from '../json/boundedJson';
import { finiteNumberOrAbsent, isObject, stringOrAbsent } from '../json/shapes';
import type { ServerLogMessage } from '../log';
import type { Progress } from '../types';

const maxTextChars = 64 * 1024;
const maxLoggerChars = 200;

const logLevels: ReadonlySet<string> = new Set([
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
]);

export interface ProgressReport {
  /** Keeps its type, because `"1"` and `1` differ. */
  readonly token: string | number;
  readonly progress: Progress;
}

/** Parses the params of `notifications/progress`. Returns `undefined` if they are unusable. */
export function parseProgress(params: unknown): ProgressReport | undefined {
  if (!isObject(params)) return undefined;
  const token = params.progressToken;
  const progress = finiteNumberOrAbsent(params.progress);
  if (progress === undefined) return undefined;
  if (typeof token !== 'string' && typeof token !== 'number') return undefined;
  const total = finiteNumberOrAbsent(params.total);
  const message = stringOrAbsent(params.message);
  return {
    token,
    progress: {
      progress,
      ...(total === undefined ? {} : { total }),
      ...(message === undefined ? {} : { message: message.slice(0, maxTextChars) }),
    },
  };
}

/**
 * Parses the params of `notifications/message`, with its data as text of at most 65,536 characters.
 * An unknown level becomes `info`. Returns `undefined` if they are not an object.
 */
export function parseLogMessage(params: unknown): ServerLogMessage | undefined {
  if (!isObject(params)) return undefined;
  const { level, data } = params;
  const text =
    typeof data === 'string' ? data.slice(0, maxTextChars) : boundedJson(data, maxTextChars);
  const known = typeof level === 'string' && logLevels.has(level) ? level : 'info';
  // Not spread, because servers send thousands of these.
  if (typeof params.logger !== 'string') return { level: known, text };
  return { level: known, text, logger: params.logger.slice(0, maxLoggerChars) };
}
