import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { bundledTest, bundleTests, sourceOfTest } from './bundle';
import type { TestResult } from './reporter';
import { check, count, program, type Environment, type Print } from './runProgram';
import { cacheFolder, projectFolder } from './vscode/paths';
import { makeTemporaryFolder } from './vscode/server';
import { buildVsix, builtVsixVariable } from './vscode/vsix';

export interface Stage {
  /** How many processors it keeps busy by itself; `all` runs alone. */
  readonly lanes: number | 'all';
  /** Which command runs it; without this, both `npm test` and `npm run test:all` do. */
  readonly only?: 'test' | 'test:all';
  readonly run: (print: Print) => Promise<TestResult>;
}

/** More files than these are not the machine's fault, however slow it is. */
const maxUnsteady = 10;
/**
 * Stands in the titles of what the oldest VS Code cannot do: in a browser it opens addresses of this
 * machine without their path, so it does not get to the page of an authorization server that runs here.
 */
const newestTag = '@newest';
/** Stands in the titles of what runs with the package installed in a fresh VS Code, not the project's folder. */
const packageTag = '@package';
/** Stands in the titles of tests in plain Node that only `npm run test:all` has time for. */
const slowTag = '@slow';
/** Side by side in the stages of plain Node, whose tests mostly wait for processes and sockets. */
const processCount = 2;
const reporter = 'test/reporter.ts';
/** What page tests need around them. */
const pageHooks = 'test/page/hooks.ts';
/** Only this one needs the package. */
const packageTests = 'test/package.test.ts';
const oldest = { TOOLGATE_TEST_VSCODE_VERSION: 'oldest' };

/**
 * The files of tests in a folder, which is `test` or one in it, that have the tag in them, those with the most
 * in them first: then no processor has nothing to do for long at the end of a stage that runs them side by side.
 */
function largestFirst(kind: string, tag = ''): readonly string[] {
  const folder = path.join('test', kind);
  return readdirSync(path.join(projectFolder, folder), { encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => path.join(folder, name))
    .map((file) => ({ file, text: readFileSync(path.join(projectFolder, file), 'utf8') }))
    .filter(({ text }) => text.includes(tag))
    .toSorted((a, b) => b.text.length - a.text.length)
    .map(({ file }) => file);
}

/** For every kind of test, files, and what else is said to mocha. */
type Selection = readonly string[];

/**
 * The stages of one run. A lane is what one test at a time keeps busy: most of a processor, and for some of
 * its time none. Stages that take a lane each are in front, the windows last, all of them together: those
 * of the newest VS Code are twice as many as those of the oldest. `remove` takes away what was made on the way.
 */
export function makeStages(): {
  readonly stages: Readonly<Record<string, Stage>>;
  /** A stage for the files, whatever kind they are of; `options` go to mocha. */
  readonly stageOf: (kind: string, files: Selection, options: Selection) => Stage;
  readonly remove: () => void;
} {
  const { folder, remove: removeResults } = makeTemporaryFolder('test');
  // Below the project, where its packages are found.
  const { folder: bundles, remove: removeBundles } = makeTemporaryFolder('tests', cacheFolder);
  const remove = () => [removeResults, removeBundles].forEach((each) => each());
  const resultFile = (name: string) => path.join(folder, `${name}.json`);
  const parallel = (jobs: number) => ['--parallel', '--jobs', String(jobs)];

  /** With the names of the files that the tests were bundled from. */
  async function named(running: Promise<TestResult>): Promise<TestResult> {
    const result = await running;
    const files = Object.entries(result.files ?? {}).map(
      ([file, each]) => [file === '' ? '' : sourceOfTest(file), each] as const,
    );
    return { ...result, files: Object.fromEntries(files) };
  }

  async function mocha(
    print: Print,
    name: string,
    files: Selection,
    options: Selection = [],
    environment: Environment = {},
  ): Promise<TestResult> {
    const place = path.join(bundles, name);
    const hooks = files.some((file) => file.startsWith('test/page/')) ? [pageHooks] : [];
    await bundleTests(place, [reporter, ...hooks, ...files]);
    const bundled = (each: Selection) => each.map((file) => bundledTest(place, file));
    const common = ['--no-package', '--slow', '1000', '--timeout', '120000', '--forbid-pending'];
    common.push('--reporter', ...bundled([reporter]));
    common.push(...bundled(hooks).flatMap((file) => ['--require', file]));
    const parameters = [...common, ...options, ...bundled(files)];
    return named(count(print, resultFile(name), program('mocha'), parameters, environment));
  }

  /** Tests that press keys in a page: in each process one Chromium, in which every file has its window. */
  const inPages = (
    name: string,
    jobs: number,
    selection: Selection,
    options: Selection,
    environment = {},
  ) =>
    onceMore((print, files) => {
      const all = ['--slow', '0', ...options];
      if (files === 'all') all.push(...parallel(jobs));
      return mocha(print, name, files === 'all' ? selection : files, all, environment);
    });

  const inProcesses =
    (name: string) =>
    (print: Print): Promise<TestResult> =>
      mocha(print, name, largestFirst(name), [
        ...parallel(processCount),
        '--grep',
        slowTag,
        '--invert',
      ]);

  const inExtensionHost =
    (name: string, selection: Selection, environment = {}) =>
    (print: Print): Promise<TestResult> => {
      const parameters = ['test/vscode/extensionHost.ts', ...selection];
      return named(count(print, resultFile(name), program('tsx'), parameters, environment));
    };

  let vsix: Promise<Environment> | undefined;
  /** Made once, for those that look into it and those that install it. */
  const packaged = () => (vsix ??= buildVsix(folder).then(() => ({ [builtVsixVariable]: folder })));

  const stages: Record<string, Stage> = {
    build: { lanes: 'all', run: (print) => check(print, 'node', 'esbuild.js') },
    // Types, too: it reads every file with those anyway, and tells what tsc would.
    lint: {
      lanes: 1,
      run: (print) =>
        check(print, program('oxlint'), '--type-aware', '--type-check', '--deny-warnings'),
    },
    format: {
      lanes: 1,
      run: (print) => check(print, program('oxfmt'), '--check', '.'),
    },
    project: {
      lanes: 1,
      run: (print) => {
        const files = largestFirst('').filter((file) => file !== packageTests);
        return mocha(print, 'project', files);
      },
    },
    package: {
      lanes: 1,
      run: async (print) => mocha(print, 'package', [packageTests], [], await packaged()),
    },
    fuzz: {
      lanes: 1,
      only: 'test',
      run: (print) => mocha(print, 'fuzz', largestFirst('fuzz')),
    },
    'fuzz-million': {
      lanes: 1,
      only: 'test:all',
      run: (print) =>
        mocha(print, 'fuzz-million', largestFirst('fuzz'), [], { TOOLGATE_FUZZ_CASES: '1000000' }),
    },
    conformance: {
      lanes: 1,
      run: (print) =>
        count(print, resultFile('conformance'), program('tsx'), ['test/conformance/run.ts']),
    },
    core: { lanes: 1, run: inProcesses('core') },
    'ui-node': { lanes: 1, run: (print) => mocha(print, 'ui-node', largestFirst('ui-node')) },
    ui: { lanes: 1, run: inExtensionHost('ui', []) },
    'ui-oldest': { lanes: 1, only: 'test:all', run: inExtensionHost('ui-oldest', [], oldest) },
    host: { lanes: 1, run: inProcesses('host') },
    cli: { lanes: 1, run: inProcesses('cli') },
    slow: {
      lanes: 1,
      only: 'test:all',
      run: async (print) => {
        const files = ['core', 'host', 'cli'].flatMap((kind) => largestFirst(kind, slowTag));
        if (files.length === 0) return { passed: 0, failed: 0 };
        return mocha(print, 'slow', files, ['--grep', slowTag]);
      },
    },
    installed: {
      lanes: 1,
      run: async (print) => {
        const environment = { TOOLGATE_TEST_VSIX: path.join(folder, 'toolgate.vsix') };
        await packaged();
        const options = ['--grep', packageTag];
        return inPages(
          'installed',
          1,
          largestFirst('page', packageTag),
          options,
          environment,
        )(print);
      },
    },
    page: {
      lanes: 2,
      run: inPages('page', 2, largestFirst('page'), ['--grep', packageTag, '--invert']),
    },
    'page-oldest': {
      lanes: 1,
      only: 'test:all',
      run: inPages(
        'page-oldest',
        1,
        largestFirst('page'),
        ['--grep', newestTag, '--invert'],
        oldest,
      ),
    },
  };

  const stageOf = (kind: string, files: Selection, options: Selection): Stage => {
    if (kind === 'ui') return { lanes: 'all', run: inExtensionHost(kind, files) };
    if (kind === 'page') return { lanes: 'all', run: inPages(kind, 2, files, options) };
    return { lanes: 'all', run: (print) => mocha(print, kind, files, options) };
  };
  return { stages, stageOf, remove };
}

/**
 * Runs tests of pages, the files with failures once more, one after the other: on a machine that is busy
 * with something else a window may stand still longer than a test waits. What fails twice has failed; what
 * does not is named.
 */
function onceMore(
  runTests: (print: Print, files: readonly string[] | 'all') => Promise<TestResult>,
): (print: Print) => Promise<TestResult> {
  return async (print) => {
    const first = await runTests(print, 'all');
    const files = Object.entries(first.files ?? {});
    const unsteady = files.flatMap(([file, { failed }]) => (failed > 0 ? [file] : []));
    if (unsteady.length === 0 || unsteady.length > maxUnsteady || unsteady.includes('')) {
      return first;
    }
    print(`\n  Once more: ${unsteady.map((file) => path.basename(file)).join(', ')}\n`);
    const second = await runTests(print, unsteady);
    const steady = files.flatMap(([, { passed, failed }]) => (failed > 0 ? [] : [passed]));
    const passed = steady.reduce((sum, each) => sum + each, second.passed);
    return {
      ...second,
      passed,
      files: { ...first.files, ...second.files },
      secondTries: unsteady,
    };
  };
}
