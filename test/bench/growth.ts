import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { readCallFile } from '../../src/core/callFiles/parseCallFile';
import { parseTool } from '../../src/core/parse/parseTool';
import { riskOfTool } from '../../src/core/risk';
import { ServerRegistry } from '../../src/host/connections/registry';
import { Pins } from '../../src/host/consent/pins/pins';
import { RuleBook } from '../../src/host/consent/rules/ruleBook';
import { History } from '../../src/host/history/history';
import { SharedChanges } from '../../src/host/storage/sharedChanges';
import { recordFileName, recordText } from '../../src/host/storage/recordFile';
import { historyLimits, pastCall } from '../host/pastCalls';
import { listOf } from '../host/pinFixtures';
import { silentLog } from '../silentLog';
import { heapMiB, printFigures } from './gateTimes';
import { grownSteps as steps, type GrownKind as Kind } from './rows';
import { prefixed, type Figures } from './table';

// What the product needs for 10 to 10,000 of a kind: `growth.js`. Prints one JSON object of figures.
const base = mkdtempSync(path.join(tmpdir(), 'toolgate-growth-'));
const onProblem = (problem: unknown): never => {
  throw new Error(JSON.stringify(problem));
};
const many = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));

function servers(count: number): () => unknown {
  const registry = new ServerRegistry({
    connect: () => Promise.reject(new Error('no server is started here')),
    isTrusted: () => true,
    approve: () => Promise.resolve(true),
    riskOf: (_, tool) => riskOfTool(tool),
    logOf: () => silentLog,
  });
  const configs = many(count, (at) => ({
    id: `server${at}`,
    label: `server${at}`,
    source: { kind: 'setting' } as const,
    transport: { kind: 'stdio', command: 'node', args: [], env: {} } as const,
  }));
  return () => {
    registry.setConfiguration(configs, []);
    registry.setConfiguration([...configs], []);
    return registry;
  };
}

function tools(count: number): () => Promise<unknown> {
  const inputSchema = { type: 'object', properties: { text: { type: 'string' } } };
  const listed = many(count, (at) => parseTool({ name: `tool${at}`, inputSchema }));
  const folder = path.join(base, `tools${count}`);
  const changes = new SharedChanges(path.join(folder, 'changes'));
  const pins = new Pins({ folder, onProblem, changes });
  return async () => {
    await pins.observe(listOf(listed));
    return pins;
  };
}

function rules(count: number): () => Promise<unknown> {
  const book = new RuleBook({ placeOfPath: () => Promise.resolve('unclear') });
  const user = many(count, (at) => ({ effect: 'deny', server: `server${at}`, tool: 'drop_*' }));
  const [entry] = listOf([parseTool({ name: 'echo', inputSchema: { type: 'object' } })]).tools;
  const { config } = listOf([]);
  return async () => {
    book.setRules({ user, workspace: undefined, folders: [] });
    if (entry === undefined) throw new Error('There is no tool.');
    const facts = { config, entry, arguments: {}, origin: 'api' } as const;
    for (let call = 0; call < 10; call += 1) await book.matching(facts);
    return book;
  };
}

function pastCalls(count: number): () => Promise<unknown> {
  const folder = path.join(base, `past${count}`);
  mkdirSync(path.join(folder, 'calls'), { recursive: true });
  for (let at = 0; at < count; at += 1) {
    const text = recordText(`call${at}`, pastCall(`call${at}`), { order: at });
    writeFileSync(path.join(folder, 'calls', recordFileName(`call${at}`)), text);
  }
  const limits = () => ({ ...historyLimits, maxCalls: count });
  const history = new History({ folder, limits, isOpen: () => false, onProblem });
  return async () => {
    await history.read();
    await history.stop();
    if (history.calls.length !== count) throw new Error(`${history.calls.length} of ${count}`);
    return history;
  };
}

function fileCalls(count: number): () => unknown {
  const call = (at: number) => ({ name: `call${at}`, server: 'bare', tool: 'echo', arguments: {} });
  const texts = many(count, (at) => JSON.stringify(call(at)));
  return () => texts.map((text) => readCallFile(text));
}

const kinds: Readonly<Record<Kind, (count: number) => () => unknown>> = {
  servers,
  tools,
  rules,
  pastCalls,
  fileCalls,
};

/** A function of its own, so that nothing of one step is held in the next. */
async function step(make: (count: number) => () => unknown, count: number) {
  const work = make(count);
  const before = heapMiB();
  const cpuBefore = process.cpuUsage();
  const kept = await work();
  const { user, system } = process.cpuUsage(cpuBefore);
  return { cpuMs: (user + system) / 1_000, MiB: kept === undefined ? NaN : heapMiB() - before };
}

async function main(): Promise<Figures> {
  setFlagsFromString('--expose-gc');
  global.gc = runInNewContext('gc') as NodeJS.GCFunction;
  let figures: Figures = {};
  for (const [kind, make] of Object.entries(kinds)) {
    // V8 compiles what is used.
    await step(make, 1_001);
    for (const count of steps) {
      const { cpuMs, MiB } = await step(make, count);
      figures = { ...figures, ...prefixed(`${kind}.${count}`, { cpuMs, MiB }) };
      const linear = prefixed(`${kind}.linear`, { cpuMs: 10 * cpuMs, MiB: 10 * MiB });
      if (count === 1_000) figures = { ...figures, ...linear };
    }
  }
  rmSync(base, { recursive: true });
  return figures;
}

printFigures(main());
