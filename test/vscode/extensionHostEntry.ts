import Mocha from 'mocha';
import { appendFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { format } from 'node:util';
import * as vscode from 'vscode';
import Reporter from '../reporter';

/** As `test/stages.ts` leaves out pages. */
const notForOldest = { grep: '@newest', invert: true };

/** What VS Code calls in its extension host. Rejects if a test failed, for the exit code. */
export async function run(): Promise<void> {
  const output = process.env.TOOLGATE_TEST_OUTPUT;
  if (output !== undefined) {
    Mocha.reporters.Base.consoleLog = (...values: unknown[]) =>
      appendFileSync(output, `${format(...values)}\n`);
  }
  const mocha = new Mocha({
    reporter: Reporter,
    color: false,
    timeout: 120_000,
    slow: 2000,
    forbidOnly: true,
    forbidPending: true,
    ...(process.env.TOOLGATE_TEST_VSCODE_VERSION === 'oldest' && notForOldest),
  });
  // The bundle, with a file beside it for each file of tests that it has.
  const folder = path.join(module.path, 'test/ui');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((each) => each.endsWith('.test.js')).toSorted()) {
    mocha.addFile(path.join(folder, file));
  }
  // Nobody looks at it, and its views would be drawn anew for each document.
  await vscode.commands.executeCommand('workbench.action.closeSidebar');
  return new Promise((resolve, reject) => {
    mocha.run((failures) => {
      if (failures === 0) return resolve();
      reject(new Error(`${failures} failed`));
    });
  });
}
