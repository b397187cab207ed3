import type * as vscode from 'vscode';
import type { TestResult } from '../../core/testing/runTests';

/** How each test went the last time, as long as its item is there. */
export class LastResults {
  readonly #results = new WeakMap<vscode.TestItem, TestResult>();

  get(item: vscode.TestItem): TestResult | undefined {
    return this.#results.get(item);
  }

  set(item: vscode.TestItem, result: TestResult): void {
    this.#results.set(item, result);
  }
}
