import { McpError } from '../../core/errors';

/** Takes secrets out of a text. */
export type Redact = (text: string) => string;

/** `error` without the secrets in what it repeats of a server or the system; itself if none is. */
export function redactedError(error: McpError, redact: Redact): McpError {
  const { detail, stderrTail, stdoutTail, probeDetail, wwwAuthenticate } = error.facts;
  const texts = Object.entries({ detail, stderrTail, stdoutTail, probeDetail, wwwAuthenticate });
  const changed = texts.flatMap(([name, text]) => {
    const shown = text === undefined ? text : redact(text);
    return shown === text ? [] : [[name, shown]];
  });
  if (changed.length === 0) return error;
  return new McpError(error.code, { ...error.facts, ...Object.fromEntries(changed) });
}
