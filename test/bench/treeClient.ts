import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { riskOfTool } from '../../src/core/risk';
import type { ServerConfig } from '../../src/host/configuration/serverConfig';
import { ServerRegistry } from '../../src/host/connections/registry';
import { LockFiles } from '../../src/host/consent/pins/lockFiles';
import { ToolFingerprints } from '../../src/host/consent/pins/pinFingerprints';
import { Pins } from '../../src/host/consent/pins/pins';
import { LastTools } from '../../src/host/lastTools/lastTools';
import { LastToolsFolder } from '../../src/host/lastTools/lastToolsFolder';
import { SharedChanges } from '../../src/host/storage/sharedChanges';
import { pickableTools } from '../../src/ui/picking/pickableTools';
import { noFilter } from '../../src/ui/picking/toolFilter';
import { ToolSearch } from '../../src/ui/picking/toolSearch';
import { TreeModel } from '../../src/ui/tree/treeModel';
import type { Row } from '../../src/ui/tree/treeRows';
import { clientOverStdio, silent } from './clients';

// From a list of 20,000 tools to the rows of the tree, and letters of its filter and of the picker:
// `treeClient.js <server script>`. The parts are those of the product without VS Code, which asks the
// tree for its roots, for the children of those that are open, and for the look of each of them.
// Prints one JSON object of figures.
const [server = ''] = process.argv.slice(2);
const letters = [
  't',
  'to',
  'tool',
  'tool_1',
  'tool_19',
  'number',
  'number 7',
  'nothing at all',
  '',
];

const problems: string[] = [];
const onProblem = (problem: unknown) => problems.push(JSON.stringify(problem));

/** The registry and all that keeps up with its lists, as `src/parts` joins them. */
async function openTree(base: string) {
  const client = await clientOverStdio(process.execPath, [server, 'list20k']);
  const config: ServerConfig = {
    id: 'bare',
    label: 'bare',
    source: { kind: 'setting' },
    reach: { kind: 'stdio', command: process.execPath, args: [server], env: {} },
  };
  const registry = new ServerRegistry({
    connect: () => Promise.resolve(client),
    isTrusted: () => true,
    approve: () => Promise.resolve(true),
    riskOf: (_, tool) => riskOfTool(tool),
    logOf: () => silent,
  });
  const pins = new Pins({
    folder: path.join(base, 'pins'),
    onProblem,
    lock: new LockFiles({ fileName: 'toolgate.lock.json', folders: () => [base] }),
    fingerprints: new ToolFingerprints(),
    changes: new SharedChanges(path.join(base, 'changes')),
  });
  const lastTools = new LastTools({
    folder: new LastToolsFolder(path.join(base, 'lastTools')),
    registry,
    riskOf: (_, tool) => riskOfTool(tool),
    isToolDisabled: () => false,
    onProblem,
  });
  registry.setConfiguration([config], []);
  registry.onDidChange(() => {
    for (const each of registry.servers) void pins.observe(each);
  });
  const marksOf = (id: string) => pins.marks(id);
  const model = new TreeModel(registry, marksOf, () => false, undefined, {
    of: (each) => lastTools.of(each),
    isRead: (each) => lastTools.isRead(each),
    listedAt: (each) => lastTools.listedAt(each),
    wasOpen: () => true,
  });
  return { config, registry, lastTools, model };
}

/** As VS Code asks for the rows in sight, the server being open. */
function draw(model: TreeModel): void {
  const look = (rows: readonly Row[]): void => {
    for (const row of rows) model.facts(row);
  };
  const roots = model.roots();
  look(roots);
  for (const root of roots) look(model.children(root));
  model.totals();
}

async function main(): Promise<Record<string, number>> {
  const base = mkdtempSync(path.join(tmpdir(), 'toolgate-tree-'));
  const { config, registry, lastTools, model } = await openTree(base);
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  await delay(20);
  loop.reset();
  const startedAt = performance.now();
  await registry.start(config.id);
  draw(model);
  const firstRowsMs = performance.now() - startedAt;
  // Pins and the last list are written a moment later.
  await delay(2_000);
  const stallMs = loop.max / 1e6;
  loop.disable();

  const longest = (work: (text: string) => void): number =>
    Math.max(
      ...letters.map((text) => {
        const before = performance.now();
        work(text);
        return performance.now() - before;
      }),
    );
  const filterMs = longest((text) => {
    model.filter = { ...noFilter, text };
    draw(model);
  });
  const search = new ToolSearch();
  const tools = pickableTools(registry.servers);
  await search.prepare(tools, () => true);
  const pickMs = longest((text) => search.find(tools, text));
  await lastTools.stop();
  await registry.stopAll();
  rmSync(base, { recursive: true });
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return { firstRowsMs, stallMs, filterMs, pickMs };
}

main().then(
  (figures) => console.log(JSON.stringify(figures)),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
