import type { ConnectionLog } from '../../core/log';

type Log = Pick<ConnectionLog, 'warn'>;

const maxLoggedChars = 300;
/** Further errors of the same agent would only fill the log. */
const maxLoggedErrors = 20;

/** Returns a function that logs errors in the messages of one agent. */
export function agentErrorLog(log: Log): (error: Error) => void {
  let errors = 0;
  return ({ message }) => {
    errors += 1;
    if (errors < maxLoggedErrors) log.warn(`an agent: ${message.slice(0, maxLoggedChars)}`);
    if (errors === maxLoggedErrors) log.warn('an agent: what else is wrong with it is not said');
  };
}

const maxRefusals = 10;
const minuteMs = 60_000;

/** Logs refused connections: a few within a minute one by one, and the number of the rest. */
export class RefusedConnectionLog {
  readonly #log: Log;
  #refusals = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  add(why: string): void {
    this.#refusals += 1;
    if (this.#refusals <= maxRefusals) this.#log.warn(`an agent was not let in: ${why}`);
    this.#timer ??= setTimeout(() => this.endMinute(), minuteMs).unref();
  }

  /** Logs how many refusals were left out. */
  endMinute(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const more = this.#refusals - maxRefusals;
    this.#refusals = 0;
    if (more > 0) this.#log.warn(`${more} more agents were not let in within a minute`);
  }
}
