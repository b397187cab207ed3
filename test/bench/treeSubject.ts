import path from 'node:path';
import { riskOfTool } from '../../src/core/risk';
import type { McpClient } from '../../src/core/client';
import type { ServerConfig } from '../../src/host/configuration/serverConfig';
import { ServerRegistry } from '../../src/host/connections/registry';
import { LockFiles } from '../../src/host/consent/pins/lockFiles';
import { ToolFingerprints } from '../../src/host/consent/pins/pinFingerprints';
import { Pins } from '../../src/host/consent/pins/pins';
import { LastTools } from '../../src/host/lastTools/lastTools';
import { LastToolsFolder } from '../../src/host/lastTools/lastToolsFolder';
import { SharedChanges } from '../../src/host/storage/sharedChanges';
import { TreeModel } from '../../src/ui/tree/treeModel';
import type { Row } from '../../src/ui/tree/treeRows';
import { silentLog } from '../silentLog';

export interface TreeSubjectOptions {
  readonly base: string;
  /** Labels, which are ids, too. */
  readonly labels: readonly string[];
  readonly connect: () => Promise<McpClient>;
}

/** The registry and all that keeps up with its lists, as `src/parts` joins them. */
export function openTree({ base, labels, connect }: TreeSubjectOptions) {
  const problems: string[] = [];
  const onProblem = (problem: unknown) => problems.push(JSON.stringify(problem));
  const configs = labels.map((label): ServerConfig => {
    const reach = { kind: 'stdio', command: process.execPath, args: [label], env: {} } as const;
    return { id: label, label, source: { kind: 'setting' }, reach };
  });
  const registry = new ServerRegistry({
    connect,
    isTrusted: () => true,
    approve: () => Promise.resolve(true),
    riskOf: (_, tool) => riskOfTool(tool),
    logOf: () => silentLog,
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
  registry.setConfiguration(configs, []);
  registry.onDidChange((change) => {
    const changed = change.kind === 'servers' ? undefined : registry.find(change.id);
    for (const each of changed === undefined ? registry.servers : [changed])
      void pins.observe(each);
  });
  const marksOf = (id: string) => pins.marks(id);
  const model = new TreeModel(registry, marksOf, () => false, undefined, {
    of: (each) => lastTools.of(each),
    isRead: (each) => lastTools.isRead(each),
    listedAt: (each) => lastTools.listedAt(each),
    wasOpen: () => true,
  });
  return { registry, lastTools, model, problems };
}

/** As VS Code asks for the rows in sight, the server being open. */
export function draw(model: TreeModel): void {
  const look = (rows: readonly Row[]): void => {
    for (const row of rows) model.facts(row);
  };
  const roots = model.roots();
  look(roots);
  for (const root of roots) look(model.children(root));
  model.totals();
}
