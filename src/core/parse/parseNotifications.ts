import { boundedJson } from '../json/boundedJson';
import { finiteNumberOrAbsent, isObject, stringOrAbsent } from '../json/shapes';
import type { ServerLogMessage } from '../serverLog';
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
  /** With its type: `"1"` is not `1`. */
  readonly token: string | number;
  readonly progress: Progress;
}

/** Params of `notifications/progress`; undefined when they say nothing usable. */
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
 * Params of `notifications/message`, its data as text of at most 65,536 characters. An unknown
 * level counts as `info`; undefined when there is no object at all.
 */
export function parseLogMessage(params: unknown): ServerLogMessage | undefined {
  if (!isObject(params)) return undefined;
  const { level, data } = params;
  const text =
    typeof data === 'string' ? data.slice(0, maxTextChars) : boundedJson(data, maxTextChars);
  const known = typeof level === 'string' && logLevels.has(level) ? level : 'info';
  // Servers send these by the thousand: no spread here.
  if (typeof params.logger !== 'string') return { level: known, text };
  return { level: known, text, logger: params.logger.slice(0, maxLoggerChars) };
}
