import type { ConfigProblem, ServerConfig } from '../../host/configuration/serverConfig';
import type { ServerLogs } from '../servers/serverLogs';
import { configProblemSentence } from '../format/sentencesOfProblems';

/**
 * Logs the problems of configurations: in the log of their server, or else in the log of the
 * extension. A problem that remains after a reload is not logged again.
 */
export class ConfigurationLog {
  readonly #logs: Pick<ServerLogs, 'of' | 'extension'>;
  #written: ReadonlySet<string> = new Set();

  constructor(logs: Pick<ServerLogs, 'of' | 'extension'>) {
    this.#logs = logs;
  }

  write(problems: readonly ConfigProblem[], servers: readonly ServerConfig[]): void {
    const byId = new Map(servers.map((server) => [server.id, server]));
    const current = new Set<string>();
    for (const problem of problems) {
      const sentence = configProblemSentence(withoutAddress(problem));
      current.add(sentence);
      if (this.#written.has(sentence)) continue;
      const server = byId.get(problem.server ?? '');
      const log = server === undefined ? this.#logs.extension : this.#logs.of(server);
      if (problem.fatal) log.error(sentence);
      else log.warn(sentence);
    }
    this.#written = current;
  }
}

/** A URL may contain a password or a token, and the entry may not say which part is secret. */
function withoutAddress(problem: ConfigProblem): ConfigProblem {
  if (problem.code !== 'invalidUrl') return problem;
  const { detail: _, ...rest } = problem;
  return rest;
}
