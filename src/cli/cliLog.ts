import type { ConnectionLog } from '../core/log';
import type { CliOutput } from './cliOutput';

/** What happens on connections, for the person who asked for it. Messages themselves are not told. */
export function cliLog(output: CliOutput, isVerbose: boolean): ConnectionLog {
  const tell = (kind: string, text: string): void => {
    if (isVerbose) output.tell(`[${kind}] ${text}`);
  };
  return {
    info: (text) => tell('info', text),
    warn: (text) => tell('warn', text),
    error: (text) => tell('error', text),
    stderr: (line) => tell('stderr', line),
    trace: () => undefined,
    isTracing: () => false,
  };
}
