import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { setImmediate as nextRound, setTimeout as delay } from 'node:timers/promises';
import { pickableTools } from '../../src/ui/picking/pickableTools';
import { noFilter } from '../../src/ui/picking/toolFilter';
import { ToolSearch } from '../../src/ui/picking/toolSearch';
import { clientOverStdio } from './clients';
import { watchTurns } from './longestTurns';
import { draw, openTree } from './treeSubject';

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

async function main(): Promise<Record<string, number>> {
  const base = mkdtempSync(path.join(tmpdir(), 'toolgate-tree-'));
  const client = await clientOverStdio(process.execPath, [server, 'list20k']);
  const { registry, lastTools, model, problems } = openTree({
    base,
    labels: ['bare'],
    connect: () => Promise.resolve(client),
  });
  await delay(20);
  const longestTurns = watchTurns();
  const startedAt = performance.now();
  await registry.start('bare');
  // VS Code asks when it was told, in a message.
  await nextRound();
  draw(model);
  const firstRowsMs = performance.now() - startedAt;
  // Pins and the last list are written a moment later.
  await delay(2_000);
  const { ms: stallMs, cpuMs: turnCpuMs } = longestTurns();

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
  return { firstRowsMs, stallMs, turnCpuMs, filterMs, pickMs };
}

main().then(
  (figures) => console.log(JSON.stringify(figures)),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
