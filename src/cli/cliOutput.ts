import { WorkTurns } from '../core/bounds/workTurns';
import { visibleText } from '../core/visibleText';
import type { SecretValues } from '../host/secrets/secretValues';
import type { CliOptions } from './cliOptions';
import type { ProcessEnvironment } from './cliValues';
import { jsonEscape, shownEscape, withoutCommands } from './runnerCommands';
import type { ConnectionLog } from '../core/log';

/** The streams of a process, as far as this program needs them. */
export interface OutputStreams {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
}

interface OutputStream {
  /** Returns `false` when the caller has to wait for `drain`. */
  write(text: string): unknown;
  once?(event: 'drain', listener: () => void): unknown;
  readonly isTTY?: boolean;
}

export type Colour = 'red' | 'green' | 'yellow' | 'dim';
const codes: Readonly<Record<Colour, number>> = { red: 31, green: 32, yellow: 33, dim: 2 };
const escape = '\u001b';
const ownCode = new RegExp(`(${escape}\\[(?:${[0, ...Object.values(codes)].join('|')})m)`);

/** Names of commands of runners are shorter. */
const maxCommandChars = 256;
/** Longer lines are cut. */
const maxToldChars = 10_000;
const maxKeptEvents = 500;
const maxKeptChars = 1_000;
/** The number of events that a shell shows between two commands. */
const maxShownEvents = 100;

/**
 * Writes reports to standard output and everything else to standard error. Apart from the program's
 * own colors, the output contains nothing that a terminal or the runner of a pipeline interprets as
 * a command.
 */
export class CliOutput {
  readonly #streams: OutputStreams;
  readonly #secrets: Pick<SecretValues, 'redact' | 'isEmpty'>;
  readonly #hasColours: boolean;
  /** Does each write, for a prompt that has to leave and come back. */
  around: ((write: () => unknown) => unknown) | undefined;

  constructor(
    streams: OutputStreams,
    secrets: Pick<SecretValues, 'redact' | 'isEmpty'>,
    env: ProcessEnvironment,
  ) {
    this.#streams = streams;
    this.#secrets = secrets;
    this.#hasColours = hasColours(env, streams.stdout.isTTY === true);
  }

  /**
   * Writes a part of the report: whole lines of any length. Callers redact each value before,
   * because escaping in the finished text can hide a secret.
   */
  report(text: string): void {
    if (text !== '') this.#write('stdout', withoutCommands(visibleLines(text), shownEscape));
  }

  /** Writes lines like {@link report} that {@link paint} colored; their other parts are escaped. */
  reportPainted(text: string): void {
    if (text === '') return;
    const parts = this.#hasColours ? text.split(ownCode) : [text];
    // Every second one is a colour.
    const shown = parts.map((part, index) => (index % 2 === 1 ? part : visibleLines(part)));
    this.#write('stdout', withoutCommands(shown.join(''), shownEscape));
  }

  /**
   * Writes JSON with the same value, in which sequences that a terminal or a runner would interpret
   * are escaped. Callers redact each value before, as for {@link report}.
   */
  reportJson(text: string): void {
    if (text !== '') this.#write('stdout', withoutCommands(plainJson(text), jsonEscape));
  }

  /** Writes commands of `runnerCommand` for the runner of a pipeline. */
  reportCommands(text: string): void {
    if (text !== '') this.#write('stdout', text);
  }

  /**
   * Writes JSON like {@link reportJson} in pieces of any size, as fast as the reader takes them.
   */
  async reportJsonPieces(pieces: Iterable<string>): Promise<void> {
    const turns = new WorkTurns();
    let held = '';
    for (const piece of pieces) {
      const text = held + piece;
      // A command may begin at the end of the piece; names of commands are short.
      const begin = text.slice(-maxCommandChars).search(/#(?:#\w*)?$/);
      const end = begin === -1 ? text.length : Math.max(0, text.length - maxCommandChars) + begin;
      held = text.slice(end);
      await this.#writeJson(text.slice(0, end));
      await turns.giveWay();
    }
    await this.#writeJson(`${held}\n`);
  }

  /** True if a person sees what {@link notify} writes while the program runs. */
  get isTerminal(): boolean {
    return this.#streams.stderr.isTTY === true;
  }

  /** There are secrets that {@link redact} replaces. */
  get hasSecrets(): boolean {
    return !this.#secrets.isEmpty;
  }

  async #writeJson(text: string): Promise<void> {
    const { stdout } = this.#streams;
    const isTaken = this.#write('stdout', withoutCommands(plainJson(text), jsonEscape));
    if (isTaken === false) await new Promise<void>((resolve) => stdout.once?.('drain', resolve));
  }

  /** Writes a line to standard error. It always begins with the name of the program. */
  notify(line: string): void {
    const shown = visibleText(this.#secrets.redact(line), maxToldChars);
    this.#write('stderr', withoutCommands(`toolgate: ${shown}\n`, shownEscape));
  }

  #write(stream: keyof OutputStreams, text: string): unknown {
    const write = (): unknown => this.#streams[stream].write(text);
    return this.around === undefined ? write() : this.around(write);
  }

  /** Callers redact each value before they cut it, because a partial secret is not recognized. */
  readonly redact = (text: string): string => this.#secrets.redact(text);

  /** Colours text on a terminal only. */
  readonly paint = (colour: Colour, text: string): string =>
    this.#hasColours ? `${escape}[${codes[colour]}m${text}${escape}[0m` : text;
}

/**
 * `FORCE_COLOR` decides before `NO_COLOR`, as in Node: `0` turns colours off, anything else on.
 * `NO_COLOR` turns them off unless it is empty (https://no-color.org).
 */
function hasColours(env: ProcessEnvironment, isTerminal: boolean): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: none = '', TERM: terminal } = env;
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return isTerminal && none === '' && terminal !== 'dumb';
}

function visibleLines(text: string): string {
  return visibleText(text, Number.POSITIVE_INFINITY, { newlines: 'keep' });
}

/** JSON escapes control characters only below U+0020, so the others are escaped here. */
function plainJson(json: string): string {
  return json.replaceAll(
    /[\u007f-\u009f]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Writes events of connections to standard error, without the messages themselves. */
export class CliLog implements ConnectionLog {
  /** The last events of a shell, also those that were not written. */
  readonly lines: string[] = [];
  readonly #output: CliOutput;
  readonly #isShell: boolean;
  readonly #isVerbose: boolean;
  readonly #hasMessages: boolean;
  readonly #maxShown: number;
  #shown = 0;

  /** A shell shows the messages of a server, but not a flood of them. */
  constructor(
    output: CliOutput,
    { command, isVerbose, logLevel }: Pick<CliOptions, 'command' | 'isVerbose' | 'logLevel'>,
  ) {
    const isShell = command === 'shell';
    this.#output = output;
    this.#isShell = isShell;
    this.#isVerbose = isVerbose;
    this.#hasMessages = isVerbose || isShell || logLevel !== undefined;
    this.#maxShown = isShell ? maxShownEvents : Number.POSITIVE_INFINITY;
  }

  info = (text: string): void => this.#keep(`[info] ${text}`, this.#isVerbose);
  warn = (text: string): void => this.#keep(`[warn] ${text}`, this.#isVerbose);
  error = (text: string): void => this.#keep(`[error] ${text}`, this.#isVerbose);
  stderr = (line: string): void => this.#keep(`[stderr] ${line}`, this.#isVerbose);
  fromServer = (_: string, text: string): void => this.#keep(text, this.#hasMessages);
  trace = (): void => undefined;
  isTracing = (): boolean => false;

  /** Writes a line, unless there were too many since the last command. */
  show(line: string): void {
    this.#shown += 1;
    if (this.#shown <= this.#maxShown) this.#output.notify(line);
    else if (this.#shown === this.#maxShown + 1) {
      this.#output.notify('Further messages are not shown until the next command.');
    }
  }

  beginCommand(): void {
    this.#shown = 0;
  }

  #keep(text: string, isShown: boolean): void {
    if (this.#isShell) {
      this.lines.push(visibleText(this.#output.redact(text), maxKeptChars));
      if (this.lines.length > maxKeptEvents) this.lines.shift();
    }
    if (isShown) this.show(text);
  }
}
