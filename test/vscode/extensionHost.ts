import { runTests } from '@vscode/test-electron';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { bundledTest, bundleTests } from '../bundle';
import { resultVariable } from '../reporter';
import { findDesktop } from './desktop';
import { cacheFolder, projectFolder, resultsFolder } from './paths';
import { chosenVersion, versionVariable, vscodeNumber } from './provision';
import { defaultSettings, makeTemporaryFolder, unseenSettings } from './server';

const logFile = path.join(resultsFolder, `extension-host-${chosenVersion()}.log`);
const logTailLines = 40;
/** One for each VS Code: both may run at the same time. */
const bundleFolder = path.join(cacheFolder, 'ui-tests', chosenVersion());
const entry = 'test/vscode/extensionHostEntry.ts';
/** Nobody looks at this window. */
const ofBareWindow = {
  'window.menuBarVisibility': 'hidden',
  'workbench.activityBar.location': 'hidden',
  'workbench.editor.showTabs': 'none',
  'workbench.statusBar.visible': false,
};
/** As on a desktop: in a browser VS Code saves after a second, earlier than a test on a busy machine. */
const ofDesktop = { 'files.autoSave': 'off' };
/** Where the tests in the extension host write what they have to say; the console is full of noise. */
export const outputVariable = 'TOOLGATE_TEST_OUTPUT';

/** The files of test/ui, or those that are named, and the entry that VS Code starts, which runs all that it finds. */
async function bundle(files: readonly string[]): Promise<void> {
  const all = readdirSync(path.join(projectFolder, 'test/ui'), { encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => path.join('test/ui', name));
  rmSync(bundleFolder, { recursive: true, force: true });
  await bundleTests(bundleFolder, [...(files.length === 0 ? all : files), entry]);
}

/** Runs `work` with everything that it prints going to a file instead. */
async function printingTo(file: string, work: () => Promise<unknown>): Promise<void> {
  const streams = [process.stdout, process.stderr];
  const writes = streams.map((stream) => stream.write.bind(stream));
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, '');
  for (const stream of streams) {
    stream.write = (chunk: string | Uint8Array) => {
      appendFileSync(file, chunk);
      return true;
    };
  }
  try {
    await work();
  } finally {
    for (const [index, write] of writes.entries()) Object.assign(streams[index] ?? {}, { write });
  }
}

/**
 * Runs test/ui/, or the files of it that are named, in the extension host of a real VS Code: a desktop one where it can be had, else
 * VS Code Server with headless Chromium. Prints the report. Rejects if the run crashed or a test
 * failed; the numbers are in the result file that test/reporter.ts writes.
 */
export async function runExtensionHostTests(files: readonly string[]): Promise<void> {
  const desktop = await findDesktop();
  await bundle(files);
  const { folder, remove } = makeTemporaryFolder('ui-tests');
  const inside = (name: string) => path.join(folder, name);
  mkdirSync(inside('user/User'), { recursive: true });
  mkdirSync(inside('workspace'));
  writeFileSync(
    inside('user/User/settings.json'),
    JSON.stringify({ ...defaultSettings, ...unseenSettings, ...ofBareWindow, ...ofDesktop }),
  );
  const workspace = path.join(projectFolder, 'test/ui/workspace');
  if (existsSync(workspace)) cpSync(workspace, inside('workspace'), { recursive: true });
  writeFileSync(inside('output.txt'), '');
  try {
    console.log(`  in ${desktop ?? `VS Code Server ${vscodeNumber()} and headless Chromium`}`);
    await printingTo(logFile, () =>
      runTests({
        vscodeExecutablePath: desktop ?? path.join(__dirname, 'executable'),
        extensionDevelopmentPath: projectFolder,
        extensionTestsPath: bundledTest(bundleFolder, entry),
        launchArgs: [
          inside('workspace'),
          `--user-data-dir=${inside('user')}`,
          `--extensions-dir=${inside('extensions')}`,
        ],
        extensionTestsEnv: {
          [resultVariable]: process.env[resultVariable],
          [outputVariable]: inside('output.txt'),
          [versionVariable]: chosenVersion(),
        },
      }),
    );
  } catch (error) {
    if (readFileSync(inside('output.txt'), 'utf8') !== '') throw error;
    const tail = readFileSync(logFile, 'utf8').trim().split('\n').slice(-logTailLines);
    console.log(`${tail.join('\n')}\n  All that VS Code said is in ${logFile}`);
    throw error;
  } finally {
    process.stdout.write(readFileSync(inside('output.txt'), 'utf8'));
    remove();
  }
}

if (require.main === module) {
  const files = process.argv.slice(2).filter((each) => each !== '--bundle');
  // Only bundled they are for a VS Code that a person starts, with a debugger.
  const work = process.argv.includes('--bundle') ? bundle : runExtensionHostTests;
  work(files).catch((error: unknown) => {
    console.error(String(error));
    process.exitCode = 1;
  });
}
