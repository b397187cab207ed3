import { writeFileSync } from 'node:fs';
import { reporters, type MochaOptions, type Runnable, type Runner, type Test } from 'mocha';

/** What one run of Mocha came to; written to the file that the environment variable names. */
export interface TestResult {
  readonly passed: number;
  readonly failed: number;
  /** The same, of each file with tests. */
  readonly files?: Readonly<Record<string, { readonly passed: number; readonly failed: number }>>;
}
export const resultVariable = 'TOOLGATE_TEST_RESULT';

/** Says what failed, and what was slow; everything else is a number. */
export default class Reporter extends reporters.Base {
  constructor(runner: Runner, options: MochaOptions) {
    super(runner, options);
    const files: Record<string, { passed: number; failed: number }> = {};
    const count = (of: Runnable, result: 'passed' | 'failed') => {
      const file = of.parent?.file ?? of.file ?? '';
      (files[file] ??= { passed: 0, failed: 0 })[result] += 1;
    };
    runner.on('fail', (failed: Runnable) => count(failed, 'failed'));
    runner.on('pass', (test: Test) => {
      count(test, 'passed');
      if (test.speed !== 'slow') return;
      const seconds = ((test.duration ?? 0) / 1000).toFixed(1);
      reporters.Base.consoleLog(`  ok, ${seconds} s: ${test.fullTitle()}`);
    });
    runner.once('end', () => {
      this.epilogue();
      const file = process.env[resultVariable];
      if (file === undefined) return;
      const result: TestResult = { passed: this.stats.passes, failed: this.stats.failures, files };
      writeFileSync(file, JSON.stringify(result));
    });
  }
}
