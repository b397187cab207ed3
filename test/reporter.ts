import { writeFileSync } from 'node:fs';
import {
  reporters,
  type Hook,
  type MochaOptions,
  type Runnable,
  type Runner,
  type Test,
} from 'mocha';

/** What one file with tests came to. */
export interface FileResult {
  readonly passed: number;
  readonly failed: number;
  /** How long its tests and what is around them took. */
  readonly seconds: number;
}

/** What one run of Mocha came to; written to the file that the environment variable names. */
export interface TestResult {
  readonly passed: number;
  readonly failed: number;
  /** The same, of each file with tests. */
  readonly files?: Readonly<Record<string, FileResult>>;
  /** What failed: its full title and the start of the error's message, on one line. */
  readonly failures?: readonly string[];
  /** The files that failed at first and were run once more, whatever became of them. */
  readonly secondTries?: readonly string[];
}
export const resultVariable = 'TOOLGATE_TEST_RESULT';
const reasonLength = 1_000;

/** Says what failed, and what was slow; everything else is a number. */
export default class Reporter extends reporters.Base {
  constructor(runner: Runner, options: MochaOptions) {
    super(runner, options);
    const files: Record<string, { passed: number; failed: number; seconds: number }> = {};
    const fileOf = (of: Runnable) =>
      (files[of.parent?.file ?? of.file ?? ''] ??= { passed: 0, failed: 0, seconds: 0 });
    const addTime = (of: Runnable) => (fileOf(of).seconds += (of.duration ?? 0) / 1000);
    const failures: string[] = [];
    runner.on('fail', (failed: Runnable, error: Error) => {
      fileOf(failed).failed += 1;
      const reason = error.message.replaceAll(/\s+/g, ' ').slice(0, reasonLength);
      failures.push(`${failed.fullTitle()}: ${reason}`);
    });
    runner.on('hook end', (hook: Hook) => addTime(hook));
    runner.on('test end', (test: Test) => addTime(test));
    runner.on('pass', (test: Test) => {
      fileOf(test).passed += 1;
      if (test.speed !== 'slow') return;
      const seconds = ((test.duration ?? 0) / 1000).toFixed(1);
      reporters.Base.consoleLog(`  ok, ${seconds} s: ${test.fullTitle()}`);
    });
    runner.once('end', () => {
      this.epilogue();
      const file = process.env[resultVariable];
      if (file === undefined) return;
      const { passes: passed, failures: failed } = this.stats;
      const result: TestResult = { passed, failed, files, failures };
      writeFileSync(file, JSON.stringify(result));
    });
  }
}
