import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { bundled } from '../servers/bundled';

/** A process that does what a window does, for tests of what several of them share. */
export interface WindowProcess {
  readonly child: ChildProcess;
  /** What it said, line by line. */
  readonly said: readonly string[];
  readonly closed: Promise<unknown>;
  /** Resolves when it has said so many lines, or has ended. */
  readonly hasSaid: (count: number) => Promise<void>;
  /** Tells it something, and resolves with the next line that it says. */
  readonly notify: (line: string) => Promise<string | undefined>;
  /** Tells it that there is nothing more to say, and resolves when it has ended. */
  readonly end: () => Promise<unknown>;
}

/** Runs a program of this folder; with `before`, another program that runs it. */
type OpenWindow = (
  program: string,
  args: readonly string[],
  before?: readonly string[],
) => WindowProcess;

/** What is left of them when the suite ends is killed. */
export function useWindows(): OpenWindow {
  const opened: WindowProcess[] = [];
  after(() => {
    for (const { child } of opened) child.kill('SIGKILL');
  });
  return (program, args, before = []) => {
    const window = openWindow(program, args, before);
    opened.push(window);
    return window;
  };
}

function openWindow(...[program, args, before]: Required<Parameters<OpenWindow>>): WindowProcess {
  const own = [process.execPath, bundled(path.join(__dirname, program)), ...args];
  const [command = '', ...rest] = [...before, ...own];
  const child = spawn(command, rest, { stdio: ['pipe', 'pipe', 'inherit'] });
  const said: string[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => said.push(line));
  const closed = once(child, 'close');
  const hasSaid = async (count: number) => {
    while (said.length < count && child.stdout.readable) {
      await Promise.race([once(lines, 'line'), closed]);
    }
  };
  const notify = async (line: string) => {
    const count = said.length;
    child.stdin.write(`${line}\n`);
    await hasSaid(count + 1);
    return said[count];
  };
  const end = () => {
    child.stdin.end();
    return closed;
  };
  return { child, said, closed, hasSaid, notify, end };
}
