import { runTests } from '@vscode/test-electron';
import { build } from 'esbuild';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { SourceMap } from 'node:module';
import path from 'node:path';
import { resultVariable } from '../reporter';
import { findDesktop } from './desktop';
import { cacheFolder, projectFolder, resultsFolder } from './paths';
import { chosenVersion, versionVariable, vscodeNumber } from './provision';
import { defaultSettings, makeTemporaryFolder, unseenSettings } from './server';

const logFile = path.join(resultsFolder, `extension-host-${chosenVersion()}.log`);
const logTailLines = 40;
const allTests = ['test/ui/**/*.test.ts'];
/** One for each VS Code: both may run at the same time. */
const bundlesFolder = path.join(cacheFolder, 'ui-tests');
const bundleFolder = path.join(bundlesFolder, chosenVersion());
/** Nobody looks at this window. */
const ofBareWindow = {
  'window.menuBarVisibility': 'hidden',
  'workbench.activityBar.location': 'hidden',
  'workbench.editor.showTabs': 'none',
  'workbench.statusBar.visible': false,
};
/** Where the tests in the extension host write what they have to say; the console is full of noise. */
export const outputVariable = 'TOOLGATE_TEST_OUTPUT';

/** One file per test, and the entry that VS Code starts. They find `vscode` at run time only. */
async function bundleTests(files: readonly string[] = allTests): Promise<void> {
  rmSync(bundleFolder, { recursive: true, force: true });
  await build({
    absWorkingDir: projectFolder,
    entryPoints: [...files, 'test/vscode/extensionHostEntry.ts'],
    outbase: 'test',
    outdir: bundleFolder,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    external: ['vscode'],
    packages: 'external',
    sourcemap: true,
    logLevel: 'warning',
  });
}

/** The file in test/ that a bundled test was made of, as the report names it. */
export function sourceOfTest(bundled: string): string {
  const [, ...name] = path.relative(bundlesFolder, bundled).split(path.sep);
  return path.join('test', ...name).replace(/\.js$/, '.ts');
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

/** Names the lines of test/ and src/ in stacks. VS Code makes stacks itself, without source maps. */
function withSourceLines(report: string): string {
  return report.replaceAll(
    /\.vscode-test\/ui-tests\/\w+\/([^\s:]+\.js):(\d+):(\d+)/g,
    (place, file: string, line: string, column: string) => {
      const map = path.join(bundleFolder, `${file}.map`);
      if (!existsSync(map)) return place;
      const found = new SourceMap(JSON.parse(readFileSync(map, 'utf8'))).findEntry(
        Number(line) - 1,
        Number(column) - 1,
      );
      if (!('originalSource' in found)) return place;
      const source = path.resolve(path.dirname(map), found.originalSource);
      const start = `${found.originalLine + 1}:${found.originalColumn + 1}`;
      return `${path.relative(projectFolder, source)}:${start}`;
    },
  );
}

/**
 * Runs test/ui/, or the files of it that are named, in the extension host of a real VS Code: a desktop one where it can be had, else
 * VS Code Server with headless Chromium. Prints the report. Rejects if the run crashed or a test
 * failed; the numbers are in the result file that test/reporter.ts writes.
 */
export async function runExtensionHostTests(files: readonly string[] = allTests): Promise<void> {
  const desktop = await findDesktop();
  await bundleTests(files);
  const { folder, remove } = makeTemporaryFolder('ui-tests');
  const inside = (name: string) => path.join(folder, name);
  mkdirSync(inside('user/User'), { recursive: true });
  mkdirSync(inside('workspace'));
  writeFileSync(
    inside('user/User/settings.json'),
    JSON.stringify({ ...defaultSettings, ...unseenSettings, ...ofBareWindow }),
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
        extensionTestsPath: path.join(bundleFolder, 'vscode/extensionHostEntry.js'),
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
    process.stdout.write(withSourceLines(readFileSync(inside('output.txt'), 'utf8')));
    remove();
  }
}

if (require.main === module) {
  const files = process.argv.slice(2).filter((each) => each !== '--bundle');
  const chosen = files.length === 0 ? undefined : files;
  // Only bundled they are for a VS Code that a person starts, with a debugger.
  const work = process.argv.includes('--bundle') ? bundleTests : runExtensionHostTests;
  work(chosen).catch((error: unknown) => {
    console.error(String(error));
    process.exitCode = 1;
  });
}
