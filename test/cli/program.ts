import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import type { OutputStreams } from '../../src/cli/cliOutput';
import { runCli } from '../../src/cli/runCli';

export const projectRoot = path.resolve(__dirname, '../..');
const program = path.join(projectRoot, 'dist/toolgate.js');
const demoServer = path.join(projectRoot, 'dist/demoServer.js');

/** A command line, whole or in its words; a whole one has no spaces within a word. */
export type CommandLine = string | readonly string[];

export const splitLine = (line: CommandLine): readonly string[] =>
  typeof line === 'string' ? line.split(' ') : line;

export interface ProgramEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningProgram {
  readonly child: ChildProcess;
  readonly ended: Promise<ProgramEnd>;
  /** Resolves when the text has come on one of the streams. */
  readonly says: (text: string) => Promise<void>;
  /** Resolves when it has come so many times. */
  readonly saysOften: (text: string, count: number) => Promise<void>;
}

/** Starts the bundled program, as the build stage has made it, with nothing of our environment but PATH; with `before`, another program runs it. Standard input is empty unless it is a pipe that stays open. */
export function startProgram(
  folder: string,
  line: CommandLine,
  env: Readonly<Record<string, string>> = {},
  before: readonly string[] = [],
  stdin: 'ignore' | 'pipe' = 'ignore',
): RunningProgram {
  assert.ok(existsSync(program), 'there is no dist/toolgate.js: npm run build makes it');
  const [command = '', ...rest] = [...before, process.execPath, program, ...splitLine(line)];
  const child = spawn(command, rest, {
    cwd: folder,
    env: environmentIn(folder, env),
    stdio: [stdin, 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  const waiting = new Set<() => void>();
  const look = (): void => waiting.forEach((each) => each());
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
    look();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
    look();
  });
  const ended = new Promise<ProgramEnd>((resolve) => {
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
  const saysOften = (text: string, count: number): Promise<void> =>
    new Promise((resolve) => {
      const check = (): void => {
        if (`${stdout}\n${stderr}`.split(text).length <= count) return;
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
      check();
    });
  const says = (text: string): Promise<void> => saysOften(text, 1);
  return { child, ended, says, saysOften };
}

export function runProgram(...given: Parameters<typeof startProgram>): Promise<ProgramEnd> {
  return startProgram(...given).ended;
}

interface CommandStreams {
  readonly out?: OutputStreams['stdout'];
  readonly input?: string | Buffer;
  /** Standard error is one, which gets each text that is written. */
  readonly terminal?: (text: string) => void;
}

/**
 * Runs one command line in this process, with the same folder and environment. For what is decided behind
 * the entry point: signals, the limits of a process and the bundle itself need {@link startProgram}.
 */
export async function runCommand(
  folder: string,
  line: CommandLine,
  env: Readonly<Record<string, string>> = {},
  { out, input = '', terminal }: CommandStreams = {},
): Promise<ProgramEnd> {
  let [stdout, stderr] = ['', ''];
  const code = await runCli({
    argv: splitLine(line),
    env: environmentIn(folder, env),
    folder,
    streams: {
      stdin: Readable.from(input === '' ? [] : [Buffer.from(input)]),
      stdout: out ?? { write: (text) => (stdout += text) },
      stderr: {
        write: (text) => {
          stderr += text;
          terminal?.(text);
        },
        isTTY: terminal !== undefined,
      },
    },
    agentStream: () => new PassThrough(),
    version: '0',
    program,
    demoServer,
    onCancel: () => undefined,
  });
  return { code, stdout, stderr };
}

/** Nothing of our own environment but where programs are. */
function environmentIn(folder: string, env: Readonly<Record<string, string>>) {
  const { PATH = '', SystemRoot = '' } = process.env;
  return { PATH, SystemRoot, HOME: folder, ...env };
}

/** A folder with these files, gone after the suite; objects become JSON. */
export function useWorkspaces(): (files: Readonly<Record<string, unknown>>) => string {
  const made: string[] = [];
  after(() => {
    for (const folder of made) rmSync(folder, { recursive: true, force: true });
  });
  return (files) => {
    // On some systems the folder of temporary files is a link.
    const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'toolgate-cli-')));
    made.push(folder);
    for (const [name, content] of Object.entries(files)) {
      const file = path.join(folder, name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    }
    return folder;
  };
}

const script = (name: string) => path.join(projectRoot, 'node_modules', name, 'dist/index.js');

/** Entries of servers that really run. */
export const servers = {
  everything: {
    command: process.execPath,
    args: [script('@modelcontextprotocol/server-everything'), 'stdio'],
  },
  files: {
    command: process.execPath,
    args: [script('@modelcontextprotocol/server-filesystem'), '${workspaceFolder}'],
  },
  /** Of the stateless era. */
  demo: { command: process.execPath, args: [demoServer] },
  /** With one tool, which repeats its `message`. */
  echo: { command: process.execPath, args: [path.join(projectRoot, 'test/servers/echo.mjs')] },
  missing: { command: 'no-such-program-anywhere' },
} as const;
