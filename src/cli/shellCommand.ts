import { clearScreenDown, cursorTo, moveCursor } from 'node:readline';
import { createInterface, type Interface } from 'node:readline/promises';
import type { Disposable } from 'vscode-jsonrpc/node';
import { valueWithin } from '../core/bounds/valueWithin';
import { didYouMean } from '../core/nearestName';
import { isMcpError } from '../core/errors';
import { raceCancellation } from '../core/rpc/cancellation';
import { splitLine } from '../host/adding/programDraft';
import type { RegistryChange, ToolEntry } from '../host/connections/snapshot';
import type { CommandTools } from './commandTools';
import { withStarted } from './callCommand';
import { parseOptions, type CliOptions } from './cliOptions';
import type { CliOutput } from './cliOutput';
import { errorMessage, inLine, unexpectedErrorMessage } from './errorMessage';
import { exitCodes, UsageError, type ExitCode } from './exitCodes';
import { listResources, resourceLines } from './listedResources';
import { notifyProblemsOfList } from './listProblems';
import { helpOf } from './options/help';
import type { OptionName } from './options/optionTable';
import { readWrittenCall } from './typedArguments';
import {
  completeLine,
  describeTool,
  isLineCommand,
  shellCommands,
  shellHelp,
  toolLine,
} from './shellTexts';

/** Options of a line. The others belong to the shell, because all lines share a session. */
const lineOptions: readonly OptionName[] = [
  'arguments',
  'grep',
  'help',
  'json',
  'meta',
  'save',
  'schema',
  'session',
  'strict',
  'tail-log',
  'text',
];
const maxNamedTools = 10;
/** Completion waits this long for the lists of the server. */
const completionMs = 1_000;

export interface ShellCommandOptions extends CommandTools {
  /** Runs a line as a command of its own in this session. @throws {UsageError} */
  readonly runLine: (line: CliOptions) => Promise<ExitCode>;
}

/**
 * Reads commands for one server, which keeps running between them. Without a terminal, lines are read
 * without a prompt, and the first failed one decides the exit code. @throws {UsageError}
 */
export async function shellCommand(
  [name, ...rest]: readonly string[],
  options: ShellCommandOptions,
): Promise<ExitCode> {
  const { session, output, context } = options;
  const { terminal } = context;
  const { servers } = session.registry;
  const own = servers.filter(({ config }) => config.source.kind !== 'demo');
  const server = name ?? (own.length === 1 ? own[0]?.config.id : undefined);
  if (server === undefined || rest.length > 0) throw new UsageError('shell takes one server.');
  const code = await withStarted(server, options, () => Promise.resolve(exitCodes.passed));
  if (session.isCancelled) return exitCodes.cancelled;
  if (code === exitCodes.serverFailed && terminal === undefined) return code;
  const shell = new Shell(server, terminal === undefined ? code : exitCodes.passed, options);
  output.around = shell.aroundPrompt;
  try {
    return await shell.readLines();
  } finally {
    output.around = undefined;
    shell.dispose();
  }
}

class Shell {
  readonly #server: string;
  readonly #options: ShellCommandOptions;
  readonly #input: Interface;
  readonly #listener: Disposable;
  /** The tools of the last run, also after it ended. */
  #tools: readonly ToolEntry[] = [];
  #code: ExitCode;
  #wasRunning = false;
  #isBusy = true;
  #isInterrupted = false;
  #isLeaving = false;
  #isClosed = false;
  #isPromptHidden = false;

  constructor(server: string, code: ExitCode, options: ShellCommandOptions) {
    this.#server = server;
    this.#code = code;
    this.#options = options;
    const { session, context } = options;
    const { streams, terminal } = context;
    this.#input = createInterface({
      input: streams.stdin,
      terminal: terminal !== undefined,
      prompt: `${inLine(server)}> `,
      historySize: 1_000,
      removeHistoryDuplicates: true,
      completer: (line: string) => this.#complete(line),
      ...(terminal && { output: terminal }),
    });
    this.#input.on('SIGINT', () => this.#interrupt());
    this.#input.on('close', () => (this.#isClosed = true));
    this.#listener = session.registry.onDidChange((change) => this.#follow(change));
    this.#tools = session.registry.find(server)?.tools ?? [];
    this.#follow({ kind: 'state', id: server });
  }

  async readLines(): Promise<ExitCode> {
    const { context, output } = this.#options;
    const { terminal } = context;
    if (terminal !== undefined) {
      output.notify(`${this.#tools.length} tools. "help" shows the commands, Ctrl+D leaves.`);
    }
    this.#leaveWithSession();
    this.#prompt();
    for await (const line of this.#input) {
      this.#isBusy = true;
      const code = await this.#runLine(line);
      if (this.#code === exitCodes.passed && terminal === undefined) this.#code = code;
      if (this.#isLeaving) break;
      this.#prompt();
    }
    return this.#code;
  }

  dispose(): void {
    this.#listener.dispose();
    this.#input.close();
  }

  /** Writes what comes while the user types above the prompt. */
  readonly aroundPrompt = (write: () => unknown): unknown => {
    const { terminal } = this.#options.context;
    if (terminal === undefined || this.#isBusy || this.#isPromptHidden) return write();
    const { rows } = this.#input.getCursorPos();
    moveCursor(terminal, 0, -rows);
    cursorTo(terminal, 0);
    clearScreenDown(terminal);
    this.#isPromptHidden = true;
    setImmediate(() => {
      this.#isPromptHidden = false;
      if (this.#isBusy || this.#isClosed) return;
      // The prompt is drawn from its first row, which is this many rows above the cursor.
      terminal.write('\n'.repeat(rows));
      this.#input.prompt(true);
    });
    return write();
  };

  #prompt(): void {
    this.#isBusy = false;
    if (this.#options.context.terminal !== undefined && !this.#isClosed) this.#input.prompt();
  }

  async #runLine(line: string): Promise<ExitCode> {
    const { session, output, log } = this.#options;
    if (this.#isInterrupted) {
      this.#isInterrupted = false;
      session.renew();
      this.#leaveWithSession();
    }
    log.beginCommand();
    try {
      return await this.#runWords(wordsOf(line));
    } catch (error) {
      if (isMcpError(error, 'cancelled')) return exitCodes.cancelled;
      const isUsage = error instanceof UsageError;
      output.notify(isUsage ? `${error.message} See "help".` : unexpectedErrorMessage(error));
      return isUsage ? exitCodes.wrongUsage : exitCodes.failed;
    } finally {
      if (this.#isInterrupted) output.notify('Cancelled.');
    }
  }

  async #runWords([name = '', ...rest]: readonly string[]): Promise<ExitCode> {
    const { output, log } = this.#options;
    if (name === 'describe' || (name === 'help' && rest.length > 0)) return this.#describe(rest);
    if (name === 'tools' || name === 'resources' || name === 'prompts') return this.#listOnly(name);
    if (name === 'restart') return this.#restart();
    if (name === 'exit' || name === 'quit') this.#leave(this.#code);
    else if (name === 'help') output.report(shellHelp());
    else if (name === 'log') output.report(log.lines.map((line) => `${line}\n`).join(''));
    else if (name !== '') return this.#runCommand(name, rest);
    return exitCodes.passed;
  }

  /** A tool's own name calls it. */
  async #runCommand(name: string, rest: readonly string[]): Promise<ExitCode> {
    const { output, runLine } = this.#options;
    const server = this.#server;
    if (!isLineCommand(name)) {
      const { tool } = readWrittenCall([server, name], [server]);
      const known = [...shellCommands, ...(await this.#toolNames())];
      if (!known.includes(tool)) {
        const near = didYouMean(tool, known);
        throw new UsageError(`There is no command or tool "${inLine(tool)}".${near}`);
      }
    }
    const words = isLineCommand(name) ? [name, server] : ['call', server, name];
    const line = parseOptions([...words, ...rest], lineOptions);
    if (line.command !== 'help') return runLine(line);
    output.report(helpOf(line.operands));
    return exitCodes.passed;
  }

  async #describe([name = '', ...rest]: readonly string[]): Promise<ExitCode> {
    const { output } = this.#options;
    if (isLineCommand(name) && rest.length === 0) output.report(helpOf([name]));
    else {
      const known = await this.#toolNames();
      const entry = this.#tools.find(({ tool }) => tool.name === name);
      if (entry === undefined || rest.length > 0) {
        throw new UsageError(`There is no tool "${inLine(name)}".${didYouMean(name, known)}`);
      }
      output.report(describeTool(entry, output.redact));
    }
    return exitCodes.passed;
  }

  /** Includes tools that were announced a moment ago. */
  async #toolNames(): Promise<readonly string[]> {
    await this.#options.session.registry.listAnnouncedTools(this.#server);
    return this.#tools.map(({ tool }) => tool.name);
  }

  #listOnly(what: 'tools' | 'resources' | 'prompts'): Promise<ExitCode> {
    const { session, output } = this.#options;
    return withStarted(this.#server, this.#options, async ({ tools }) => {
      if (what === 'tools') {
        output.report(tools.map((each) => toolLine(each, output.redact)).join(''));
        return exitCodes.passed;
      }
      const client = session.registry.client(this.#server);
      const all = await raceCancellation(listResources(client), session.token);
      const isPrompts = what === 'prompts';
      const shown = isPrompts ? { ...all, resources: [], templates: [] } : { ...all, prompts: [] };
      output.report(
        resourceLines(shown, output.redact)
          .map((line) => `${line}\n`)
          .join(''),
      );
      const problems = isPrompts ? all.problemsOfPrompts : all.problems;
      const isWhole = notifyProblemsOfList(this.#server, { what, problems }, output);
      return isWhole ? exitCodes.passed : exitCodes.failed;
    });
  }

  async #restart(): Promise<ExitCode> {
    const { session, output } = this.#options;
    await session.registry.stop(this.#server);
    return withStarted(this.#server, this.#options, ({ tools }) => {
      output.notify(`Started again: ${tools.length} tools.`);
      return Promise.resolve(exitCodes.passed);
    });
  }

  /** Shows what happens to the server, whatever is typed at that time. */
  #follow(change: RegistryChange): void {
    const { session, output, log } = this.#options;
    if (change.kind === 'servers' || change.id !== this.#server) return;
    const { state, tools = [] } = session.registry.find(this.#server) ?? {};
    if (state?.kind === 'failed' && this.#wasRunning) {
      const why = errorMessage(state.error, output.redact);
      log.show(`Server "${this.#server}" ended: ${why} The next command starts it again.`);
    }
    if (state?.kind === 'running' && !this.#wasRunning) {
      const { resources } = session.registry.client(this.#server);
      resources.onDidChange(() => log.show('The list of resources changed.'));
    }
    this.#wasRunning = state?.kind === 'running';
    if (!this.#wasRunning || tools === this.#tools) return;
    const message = changedTools(this.#tools, tools, output.redact);
    this.#tools = tools;
    if (change.kind === 'tools' && message !== '') log.show(message);
  }

  /** The first Ctrl+C cancels a command or clears the line; the second one leaves. */
  #interrupt(): void {
    if (this.#isBusy && !this.#isInterrupted) {
      this.#isInterrupted = true;
      this.#options.session.cancel();
    } else if (!this.#isBusy && this.#input.line !== '') {
      this.#input.write(null, { ctrl: true, name: 'e' });
      this.#input.write(null, { ctrl: true, name: 'u' });
    } else this.#leave(exitCodes.cancelled);
  }

  /** A signal cancels the whole session. */
  #leaveWithSession(): void {
    this.#options.session.token.onCancellationRequested(() => {
      if (!this.#isInterrupted) this.#leave(exitCodes.cancelled);
    });
  }

  #leave(code: ExitCode): void {
    this.#isLeaving = true;
    this.#code = code;
    this.#input.close();
  }

  async #complete(line: string): Promise<[string[], string]> {
    const { session, output } = this.#options;
    const needsLists = /^\s*(?:read|prompt|follow)\s/.test(line);
    const { state } = session.registry.find(this.#server) ?? {};
    const listed =
      needsLists && state?.kind === 'running'
        ? await valueWithin(listResources(session.registry.client(this.#server)), completionMs)
        : undefined;
    return completeLine(line, { tools: this.#tools, listed, redact: output.redact });
  }
}

/** Names the new and the missing tools. Returns an empty text if nothing changed. */
function changedTools(
  before: readonly ToolEntry[],
  now: readonly ToolEntry[],
  redact: CliOutput['redact'],
): string {
  const missing = (all: readonly ToolEntry[], others: readonly ToolEntry[]): string => {
    const known = new Set(others.map(({ tool }) => tool.name));
    const names = all.filter(({ tool }) => !known.has(tool.name)).map(({ tool }) => tool.name);
    const more = names.length > maxNamedTools ? ', …' : '';
    return (
      names
        .slice(0, maxNamedTools)
        .map((name) => inLine(redact(name)))
        .join(', ') + more
    );
  };
  const [added, gone] = [missing(now, before), missing(before, now)];
  const parts = [added && `New: ${added}.`, gone && `Gone: ${gone}.`].filter((each) => each !== '');
  return ['The tools changed.', ...parts].join(' ');
}

/** `tool(name: value)` stays one word. Empty for a comment. @throws {UsageError} */
function wordsOf(line: string): readonly string[] {
  if (/^\s*#/.test(line)) return [];
  const [, call, written] = /^\s*(call\s+)?([\w./-]+\(.*\))\s*$/s.exec(line) ?? [];
  if (written !== undefined) return call === undefined ? [written] : ['call', written];
  const words = splitLine(line);
  if (words === undefined) throw new UsageError('A quote is not closed.');
  return words;
}
