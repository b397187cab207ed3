import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { processorSeconds } from './processorTime';
import type { TestResult } from './reporter';
import { removeLeftFolders } from './leftFolders';
import { runSideBySide } from './sideBySide';
import { makeStages, type Stage } from './stages';
import { projectFolder, resultsFolder } from './vscode/paths';

// npm test: the stages that every change must pass, also after one that failed. With `--all`, which is
// npm run test:all, those of a release. `npm test -- core host` runs only those of these names, and
// `npm test -- test/page/call.test.ts --grep words` only tests of these files, of whatever kind.
// Writes how long each stage and file took to test/results/times.json.
// Ends with how long each stage took and its slowest file, what was tried twice, what failed and why, the
// time that the processors worked, and one line: N passed, N failed.

/**
 * One more than there are processors, as the tests of a lane wait for a part of their time; more than
 * four were never tried.
 */
const laneCount = Math.min(4, Math.max(2, availableParallelism()) + 1);

interface StageTimes {
  readonly seconds: number;
  /** The longest first; what a file takes beside another that runs at the same time. */
  readonly files: Readonly<Record<string, number>>;
}

function timesOf(result: TestResult, seconds: number): StageTimes {
  const files = Object.entries(result.files ?? {})
    .map(([file, each]) => [path.relative(projectFolder, file), each.seconds] as const)
    .toSorted(([, a], [, b]) => b - a)
    .map(([file, each]) => [file, Number(each.toFixed(1))] as const);
  return { seconds: Number(seconds.toFixed(1)), files: Object.fromEntries(files) };
}

function describeTimes([stage, { seconds, files }]: readonly [string, StageTimes]): string {
  const [slowest] = Object.entries(files);
  const file = slowest === undefined ? '' : `, of which ${slowest[0]} ${slowest[1]} s`;
  return `${stage}: ${seconds} s${file}`;
}

/** Said once more at the end, where they are found without reading everything. */
function failuresOf(stage: string, { failures = [] }: TestResult): readonly string[] {
  return failures.length === 0
    ? [`failed: ${stage}`]
    : failures.map((title) => `failed: ${stage}: ${title}`);
}

/** What came right in the end is said too: a file that needs this again and again is a defect. */
function secondTriesOf(stage: string, { secondTries = [] }: TestResult): readonly string[] {
  return secondTries.map((file) => `second try: ${stage}: ${path.relative(projectFolder, file)}`);
}

/** What is said of a stage stands together: at once if it runs alone, else when it has ended. */
async function runStage(
  name: string,
  stage: Stage,
): Promise<{ result: TestResult; seconds: number }> {
  const isAlone = stage.lanes === 'all';
  let kept = `\n== ${name}\n`;
  if (isAlone) process.stdout.write(kept);
  const print = (text: string) => {
    if (isAlone) process.stdout.write(text);
    else kept += text;
  };
  const startedAt = performance.now();
  const result = await stage.run(print).catch((error: unknown): TestResult => {
    print(`${error instanceof Error ? error.stack : String(error)}\n`);
    return { passed: 0, failed: 1 };
  });
  const seconds = (performance.now() - startedAt) / 1000;
  const verdict = result.failed === 0 ? 'right' : 'WRONG';
  const end = `== ${name}: ${verdict}, ${result.passed} passed, ${seconds.toFixed(1)} s\n`;
  process.stdout.write(isAlone ? end : kept + end);
  return { result, seconds };
}

/** Which kind of test a file is: the folder of test/ that it stands in. */
function kindOf(file: string): string {
  const [top, kind = '', rest] = path.relative(projectFolder, path.resolve(file)).split(path.sep);
  if (top !== 'test' || !file.endsWith('.test.ts') || !existsSync(file)) {
    throw new Error(`${file} is no file of tests.`);
  }
  return rest === undefined ? 'project' : kind;
}

/** The stages that the command line asks for, in the order in which they start. */
function choose(
  { stages, stageOf }: ReturnType<typeof makeStages>,
  [first = '', ...rest]: readonly string[],
): Record<string, Stage> {
  const purpose = first === '--all' ? 'test:all' : 'test';
  const parameters = first === '--all' || first === '' ? rest : [first, ...rest];
  const firstOption = parameters.findIndex((each) => each.startsWith('-'));
  const end = firstOption === -1 ? parameters.length : firstOption;
  const wanted = parameters.slice(0, end);
  const files = wanted.filter((each) => each.endsWith('.ts'));
  const names = wanted.filter((each) => !each.endsWith('.ts'));
  const unknown = names.filter((name) => !Object.hasOwn(stages, name));
  if (unknown.length > 0) {
    throw new Error(`No stage ${unknown.join(', ')}; there are ${Object.keys(stages).join(', ')}.`);
  }
  if (files.length === 0 && end < parameters.length) {
    throw new Error('Options go with files: npm test -- test/core/rpc.test.ts --grep words');
  }
  const kinds = [...new Set(files.map(kindOf))];
  const single = kinds.map((kind) => [
    `${kind}, ${files.filter((file) => kindOf(file) === kind).length} of its files`,
    stageOf(
      kind,
      files.filter((file) => kindOf(file) === kind),
      parameters.slice(end),
    ),
  ]);
  const chosen = Object.entries(stages).filter(([name, { only = purpose }]) =>
    wanted.length === 0
      ? only === purpose
      : names.includes(name) || (name === 'build' && files.length > 0),
  );
  return Object.fromEntries([...chosen, ...single]);
}

async function main(): Promise<number> {
  removeLeftFolders();
  const made = makeStages();
  let passed = 0;
  let failed = 0;
  const failures: string[] = [];
  const secondTries: string[] = [];
  const times: Record<string, StageTimes> = {};
  const startedAt = performance.now();
  const workedBefore = processorSeconds();
  const jobs = Object.entries(choose(made, process.argv.slice(2))).map(([name, stage]) => ({
    lanes: stage.lanes,
    run: async () => {
      const { result, seconds } = await runStage(name, stage);
      passed += result.passed;
      failed += result.failed;
      times[name] = timesOf(result, seconds);
      if (result.failed > 0) failures.push(...failuresOf(name, result));
      secondTries.push(...secondTriesOf(name, result));
    },
  }));
  await runSideBySide(jobs, laneCount);
  made.remove();
  mkdirSync(resultsFolder, { recursive: true });
  const seconds = Number(((performance.now() - startedAt) / 1000).toFixed(1));
  const worked = Number((processorSeconds() - workedBefore).toFixed(1));
  const report = JSON.stringify(
    { seconds, processorSeconds: worked, lanes: laneCount, stages: times },
    undefined,
    2,
  );
  writeFileSync(path.join(resultsFolder, 'times.json'), `${report}\n`);
  console.log(['', ...Object.entries(times).map(describeTimes)].join('\n'));
  console.log(['', ...secondTries, ...failures].join('\n'));
  console.log(
    `\nprocessor time of the whole machine: ${Math.round(worked)} s, in ${Math.round(seconds)} s by the clock`,
  );
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  },
);
