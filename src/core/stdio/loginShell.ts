import { spawn } from 'node:child_process';
import path from 'node:path';
import { signalTree } from './processTree';
import type { Environment } from './stdioEnvironment';
import { anyValue, parseText } from '../parse/parsers';

export interface LoginShellOptions {
  /** Environment of this process, which the shell inherits. */
  readonly environment: Environment;
  /** Path of the user's shell. */
  readonly shell: string;
  /**
   * Defaults to 10 s, like the editor. After that, the shell and all that it started are killed.
   */
  readonly timeoutMs?: number;
}

/** The result of asking the shell. */
export type LoginShellAnswer =
  | { readonly kind: 'read'; readonly environment: Environment; readonly durationMs: number }
  | { readonly kind: 'failed'; readonly reason: string; readonly durationMs: number };

const defaultTimeoutMs = 10_000;
const maxOutputChars = 4 * 1024 * 1024;
/** Encloses the answer, because startup files of a shell print greetings. */
const mark = '_toolgate_environment_';
/** Does not match the command that prints the answer, which some shells print, too. */
const enclosed = new RegExp(`${mark}(\\{.*?\\})${mark}`, 's');

/**
 * The environment of a new terminal of the user, read from their login shell at most once, when it
 * is first needed. Startup files may wait for keys, ask questions and never end, so the time is
 * limited, and no process of the shell is left afterwards. Never rejects. Not for Windows, where
 * programs get their environment from the system and not from a shell.
 */
export class LoginShell {
  readonly #options: LoginShellOptions;
  #answer: Promise<LoginShellAnswer> | undefined;

  constructor(options: LoginShellOptions) {
    this.#options = options;
  }

  get shell(): string {
    return this.#options.shell;
  }

  read(): Promise<LoginShellAnswer> {
    this.#answer ??= this.#ask();
    return this.#answer;
  }

  async #ask(): Promise<LoginShellAnswer> {
    const startedAt = performance.now();
    const durationMs = (): number => Math.round(performance.now() - startedAt);
    try {
      const output = await this.#run();
      const environment = parseAnswer(output, this.#options.environment);
      return environment === undefined
        ? { kind: 'failed', reason: 'its answer was not understood', durationMs: durationMs() }
        : { kind: 'read', environment, durationMs: durationMs() };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return { kind: 'failed', reason, durationMs: durationMs() };
    }
  }

  #run(): Promise<string> {
    const { shell, environment, timeoutMs = defaultTimeoutMs } = this.#options;
    const child = spawn(shell, shellArguments(shell), {
      env: { ...environment, ...ofTheAsking },
      stdio: ['ignore', 'pipe', 'ignore'],
      // Starts its own group without a terminal, so that nothing can ask questions there and all of
      // it can be killed.
      detached: true,
    });
    return new Promise((resolve, reject) => {
      let output = '';
      const end = (settle: () => void): void => {
        clearTimeout(timer);
        // Kills processes that the startup files left running.
        if (child.pid !== undefined) signalTree(child.pid, 'SIGKILL');
        child.stdout.destroy();
        settle();
      };
      const timer = setTimeout(
        () => end(() => reject(new Error(`no answer in ${timeoutMs} ms`))),
        timeoutMs,
      );
      child.stdout.setEncoding('utf8');
      child.stdout.on('data', (chunk: string) => {
        output = (output + chunk).slice(-maxOutputChars);
        // Waiting for the end of the output would wait for processes that the startup files
        // started.
        if (enclosed.test(output)) end(() => resolve(output));
      });
      child.once('error', (error) => end(() => reject(error)));
      child.once('close', (code) =>
        end(() =>
          output.includes(mark)
            ? resolve(output)
            : reject(new Error(`it ended with exit code ${code ?? 'none'}`)),
        ),
      );
    });
  }
}

/**
 * Variables that make our own program plain Node, and tell startup files what they are read for.
 */
const ofTheAsking: Readonly<Record<string, string>> = {
  ELECTRON_RUN_AS_NODE: '1',
  ELECTRON_NO_ATTACH_CONSOLE: '1',
  // The editor sets this variable for the same purpose, so users' startup files know it.
  VSCODE_RESOLVING_ENVIRONMENT: '1',
  DISABLE_AUTO_UPDATE: 'true',
  ZSH_TMUX_AUTOSTART: 'false',
};

/** The login shell is interactive too, because users set PATH in either kind of file. */
function shellArguments(shell: string): readonly string[] {
  const name = path.basename(shell);
  // Without double quotes, which PowerShell before 7.3 takes out of arguments.
  const script = `\`${mark}\` + JSON.stringify(require(\`process\`).env) + \`${mark}\``;
  const print = `'${process.execPath}' -p '${script}'`;
  if (name.startsWith('pwsh')) return ['-Login', '-Command', `& ${print}`];
  if (name === 'nu') return ['-i', '-l', '-c', `^${print}`];
  if (name === 'tcsh' || name === 'csh') return ['-ic', print];
  return ['-i', '-l', '-c', print];
}

function parseAnswer(output: string, before: Environment): Environment | undefined {
  const answer = parseText(enclosed.exec(output)?.[1] ?? '', anyValue);
  if (typeof answer !== 'object' || answer === null) return undefined;
  const variables = Object.entries(answer).filter(
    (entry): entry is [string, string] =>
      typeof entry[1] === 'string' && !(entry[0] in ofTheAsking),
  );
  const kept = Object.keys(ofTheAsking).map((name): [string, string | undefined] => [
    name,
    before[name],
  ]);
  return Object.fromEntries([...variables, ...kept.filter(([, value]) => value !== undefined)]);
}
