import { writeFileSync } from 'node:fs';
import { reporters, type MochaOptions, type Runner, type Test } from 'mocha';

/** What one run of Mocha came to; written to the file that the environment variable names. */
export interface TestResult {
  readonly passed: number;
  readonly failed: number;
}
export const resultVariable = 'TOOLGATE_TEST_RESULT';

/** Says what failed, and what was slow; everything else is a number. */
export default class Reporter extends reporters.Base {
  constructor(runner: Runner, options: MochaOptions) {
    super(runner, options);
    runner.on('pass', (test: Test) => {
      if (test.speed !== 'slow') return;
      const seconds = ((test.duration ?? 0) / 1000).toFixed(1);
      reporters.Base.consoleLog(`  ok, ${seconds} s: ${test.fullTitle()}`);
    });
    runner.once('end', () => {
      this.epilogue();
      const file = process.env[resultVariable];
      if (file === undefined) return;
      const result: TestResult = { passed: this.stats.passes, failed: this.stats.failures };
      writeFileSync(file, JSON.stringify(result));
    });
  }
}
