import type { Disposable } from 'vscode-jsonrpc/node';
import type { ServerRegistry } from '../host/connections/registry';
import type { Server } from '../host/connections/snapshot';
import { errorMessage, inLine } from './errorMessage';
import { listProblemMessages, repeatedToolMessage, repeatedTools } from './listProblems';

/** Further findings of a run are left out. */
const maxLines = 100;

/**
 * Collects events of servers during a run other than answers: lines on standard output that are no
 * messages, questions that were answered with `cancel`, unlisted tools, and exits of processes.
 */
export class RunFindings implements Disposable {
  readonly #registry: Pick<ServerRegistry, 'servers' | 'find' | 'onDidChange'>;
  readonly #redact: (text: string) => string;
  readonly #subscription: Disposable;
  readonly #states = new Map<string, Server['state']['kind']>();
  readonly #lines: string[] = [];
  /**
   * Counts of lines that are no messages: those of earlier processes of a server, and those of the
   * last one.
   */
  readonly #garbage = new Map<string, { before: number; last: number }>();

  constructor(
    registry: Pick<ServerRegistry, 'servers' | 'find' | 'onDidChange'>,
    redact: (text: string) => string,
  ) {
    this.#registry = registry;
    this.#redact = redact;
    this.#subscription = registry.onDidChange((change) => {
      if (change.kind === 'state') this.#noteState(change.id);
      if (change.kind === 'tools') this.#noteList(change.id);
    });
  }

  /** Notes a question that was cancelled. */
  asked(id: string, message: string): void {
    this.#add(`Server "${id}" asked "${inLine(this.#redact(message))}", which was cancelled.`);
  }

  /** One sentence each; complete once every server has been stopped. */
  lines(): readonly string[] {
    return [...this.garbageLines(), ...this.events];
  }

  /** Everything but lines that are no messages, in the order of time. */
  get events(): readonly string[] {
    return [...this.#lines];
  }

  garbageLines(): readonly string[] {
    return this.#registry.servers.flatMap(({ config, garbageLines }) => {
      const { before, last } = this.#countGarbage(config.id, garbageLines);
      const count = before + last;
      return count === 0
        ? []
        : [`Server "${config.id}" wrote lines to standard output that are not messages: ${count}.`];
    });
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  #countGarbage(id: string, now: number): { readonly before: number; readonly last: number } {
    const { before, last } = this.#garbage.get(id) ?? { before: 0, last: 0 };
    const count = { before: now < last ? before + last : before, last: now };
    this.#garbage.set(id, count);
    return count;
  }

  #noteState(id: string): void {
    const server = this.#registry.find(id);
    const before = this.#states.get(id);
    if (server === undefined) return;
    const { state } = server;
    this.#countGarbage(id, server.garbageLines);
    this.#states.set(id, state.kind);
    if (before !== 'running' || state.kind !== 'failed') return;
    this.#add(`Server "${id}" ended while it ran: ${errorMessage(state.error, this.#redact)}`);
  }

  #noteList(id: string): void {
    const server = this.#registry.find(id);
    if (server === undefined) return;
    const failed = server.listProblems.filter(({ code }) => code === 'pageFailed');
    const lines = [
      ...failed.map(
        (each) => `Server "${id}" ${listProblemMessages(each, 'tools', this.#redact)}.`,
      ),
      ...repeatedTools(server).map((name) => repeatedToolMessage(id, this.#redact(name))),
    ];
    for (const line of lines) if (!this.#lines.includes(line)) this.#add(line);
  }

  #add(line: string): void {
    if (this.#lines.length < maxLines) this.#lines.push(line);
  }
}
