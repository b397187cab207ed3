import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { resultVariable, type TestResult } from './reporter';
import { onEnd, killTree } from './vscode/cleanup';
import { sourceOfTest } from './vscode/extensionHost';
import { projectFolder } from './vscode/paths';
import { makeTemporaryFolder } from './vscode/server';
import { buildVsix } from './vscode/vsix';

// npm test: every stage, also after one that failed. `npm test -- core host` runs only those.
// Ends with one line: N passed, N failed.

/** No stage takes so long; one that hangs must not hang the others. */
const stageLimitMs = 25 * 60_000;

const program = (name: string) => path.join(projectFolder, 'node_modules/.bin', name);
const { folder: temporaryFolder, remove } = makeTemporaryFolder('test');

/** The exit code of a program that prints to our own output. */
function run(
  command: string,
  parameters: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, parameters, {
      cwd: projectFolder,
      env: { ...process.env, ...environment },
      stdio: 'inherit',
      detached: process.platform !== 'win32',
      shell: process.platform === 'win32',
    });
    const { pid } = child;
    const kill = pid === undefined ? () => undefined : onEnd(() => killTree(pid));
    const limit = setTimeout(() => {
      console.log(`  It did not end within ${stageLimitMs / 60_000} minutes.`);
      kill();
    }, stageLimitMs);
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(limit);
      kill(); // What a stage left behind must not live on into the next.
      resolve(code ?? 1);
    });
  });
}

/** One check that is right or wrong as a whole. */
async function check(command: string, ...parameters: string[]): Promise<TestResult> {
  const isRight = (await run(command, parameters)) === 0;
  return { passed: isRight ? 1 : 0, failed: isRight ? 0 : 1 };
}

/** Tests that our reporter counts. A crash, and a run that found no test, is one failure. */
async function count(
  name: string,
  command: string,
  parameters: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<TestResult> {
  const file = path.join(temporaryFolder, `${name}.json`);
  const code = await run(command, parameters, { ...environment, [resultVariable]: file });
  const result: TestResult = existsSync(file)
    ? JSON.parse(readFileSync(file, 'utf8'))
    : { passed: 0, failed: 0 };
  if (result.passed + result.failed === 0) console.log('  No test ran to its end.');
  if (result.failed > 0 || (code === 0 && result.passed > 0)) return result;
  return { passed: result.passed, failed: 1 };
}

function mocha(name: string, parameters: readonly string[], environment = {}): Promise<TestResult> {
  // One after the other: many tests measure time, which a second run beside them would spoil.
  const common = ['--reporter', 'test/reporter.ts', '--slow', '1000'];
  common.push('--forbid-only', '--forbid-pending');
  return count(name, program('mocha'), [...common, ...parameters], environment);
}

/**
 * Runs tests in a window, the files with failures once more in a new one: on a machine that is busy
 * with something else a window may stand still longer than a test waits. What fails twice has
 * failed; what does not is named.
 */
async function inWindows(
  runTests: (files: readonly string[] | 'all') => Promise<TestResult>,
): Promise<TestResult> {
  const first = await runTests('all');
  const files = Object.entries(first.files ?? {});
  const unsteady = files.flatMap(([file, { failed }]) => (failed > 0 ? [file] : []));
  if (unsteady.length === 0 || unsteady.length > maxUnsteady || unsteady.includes('')) return first;
  console.log(`\n  Once more: ${unsteady.map((file) => path.basename(file)).join(', ')}`);
  const second = await runTests(unsteady);
  const steady = files.flatMap(([, { passed, failed }]) => (failed > 0 ? [] : [passed]));
  const passed = steady.reduce((sum, each) => sum + each, second.passed);
  return { passed, failed: second.failed };
}

/** Tests that press keys in a page, as far as the parameters choose them. */
function inPages(
  name: string,
  parameters: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<TestResult> {
  return inWindows((files) =>
    mocha(
      name,
      [...pageOptions, ...parameters, ...(files === 'all' ? [pageTests] : files)],
      environment,
    ),
  );
}

/** Tests in the extension host. */
function inExtensionHost(): Promise<TestResult> {
  return inWindows((files) =>
    count('ui', program('tsx'), [
      'test/vscode/extensionHost.ts',
      ...(files === 'all' ? [] : files.map(sourceOfTest)),
    ]),
  );
}

const pageOptions = [
  '--require',
  'tsx',
  '--require',
  'test/page/hooks.ts',
  '--timeout',
  '120000',
  '--slow',
  '0',
];
const pageTests = 'test/page/**/*.test.ts';
/** More than these are not the machine's fault. */
const maxUnsteady = 4;

/** In this order. Tests are found by name, never listed. */
const stages: Readonly<Record<string, () => Promise<TestResult>>> = {
  build: () => check('node', 'esbuild.js'),
  types: () => check(program('tsc'), '--noEmit'),
  lint: () => check(program('oxlint'), '--type-aware', '--deny-warnings'),
  format: () => check(program('prettier'), '--check', '--log-level', 'warn', '.'),
  project: () => mocha('project', ['test/*.test.ts', '--ignore', 'test/package.test.ts']),
  core: () => mocha('core', ['test/core/**/*.test.ts']),
  host: () => mocha('host', ['test/host/**/*.test.ts']),
  fuzz: () => mocha('fuzz', ['test/fuzz/**/*.test.ts']),
  conformance: () => count('conformance', program('tsx'), ['test/conformance/run.ts']),
  ui: inExtensionHost,
  page: () => inPages('page', []),
  package: () => mocha('package', ['--timeout', '120000', 'test/package.test.ts']),
  // Tests with @package in their name, again, with the package installed in a fresh VS Code.
  installed: async () => {
    const { file } = await buildVsix(temporaryFolder);
    return inPages('installed', ['--grep', '@package'], { TOOLGATE_TEST_VSIX: file });
  },
};

async function main(): Promise<number> {
  const wanted = process.argv.slice(2);
  const unknown = wanted.filter((name) => !Object.hasOwn(stages, name));
  if (unknown.length > 0) {
    throw new Error(`No stage ${unknown.join(', ')}; there are ${Object.keys(stages).join(', ')}.`);
  }
  let passed = 0;
  let failed = 0;
  for (const [name, runStage] of Object.entries(stages)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    console.log(`\n== ${name}`);
    const startedAt = performance.now();
    const result = await runStage().catch((error: unknown): TestResult => {
      console.log(error);
      return { passed: 0, failed: 1 };
    });
    passed += result.passed;
    failed += result.failed;
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    console.log(`== ${name}: ${result.failed === 0 ? 'right' : 'WRONG'}, ${seconds} s`);
  }
  remove();
  console.log(`\n${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
