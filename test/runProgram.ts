import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { withSourceLines } from './bundle';
import { resultVariable, type TestResult } from './reporter';
import { killTree, onEnd } from './vscode/cleanup';
import { projectFolder } from './vscode/paths';

/** No stage takes so long; one that hangs must not hang the others. */
const limitMs = 40 * 60_000;

export type Environment = Readonly<Record<string, string>>;
/** Takes what a program prints, as it comes, in whole lines. */
export type Print = (text: string) => void;

/** A program of node_modules. */
export const program = (name: string) => path.join(projectFolder, 'node_modules/.bin', name);

/** The exit code of a program in the project's folder. */
export function run(
  print: Print,
  command: string,
  parameters: readonly string[],
  environment: Environment = {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, parameters, {
      cwd: projectFolder,
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      shell: process.platform === 'win32',
    });
    for (const input of [child.stdout, child.stderr]) {
      createInterface({ input }).on('line', (line) => print(`${withSourceLines(line)}\n`));
    }
    const { pid } = child;
    const kill = pid === undefined ? () => undefined : onEnd(() => killTree(pid));
    const limit = setTimeout(() => {
      print(`  It did not end within ${limitMs / 60_000} minutes.\n`);
      kill();
    }, limitMs);
    child.on('error', reject);
    // What it left behind must not live on, also where that holds its output open.
    child.on('exit', () => kill());
    child.on('close', (code) => {
      clearTimeout(limit);
      resolve(code ?? 1);
    });
  });
}

/** One check that is right or wrong as a whole. */
export async function check(
  print: Print,
  command: string,
  ...parameters: string[]
): Promise<TestResult> {
  const isRight = (await run(print, command, parameters)) === 0;
  return { passed: isRight ? 1 : 0, failed: isRight ? 0 : 1 };
}

/**
 * Tests that our reporter counts, which writes what they came to into `resultFile`. A crash, and a
 * run that found no test, is one failure.
 */
export async function count(
  print: Print,
  resultFile: string,
  command: string,
  parameters: readonly string[],
  environment: Environment = {},
): Promise<TestResult> {
  const code = await run(print, command, parameters, {
    ...environment,
    [resultVariable]: resultFile,
  });
  const result: TestResult = existsSync(resultFile)
    ? JSON.parse(readFileSync(resultFile, 'utf8'))
    : { passed: 0, failed: 0 };
  if (result.passed + result.failed === 0) print('  No test ran to its end.\n');
  if (result.failed > 0 || (code === 0 && result.passed > 0)) return result;
  return { ...result, failed: 1 };
}
