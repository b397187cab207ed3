import { connectStdio } from '../../src/core/stdio/connectStdio';
import { LiveProcesses } from '../../src/core/stdio/stdioProcess';
import { ServerRegistry } from '../../src/host/connections/registry';
import { RecordingLog } from '../core/wire';
import type { ServerCommand } from '../servers/scripted';

/** A registry whose servers are the given programs by id; they start without a question. */
export function trustedRegistry(
  programs: Readonly<Record<string, ServerCommand>>,
  processes = new LiveProcesses(),
): ServerRegistry {
  const registry = new ServerRegistry({
    isTrusted: () => true,
    approve: async () => true,
    logOf: () => new RecordingLog(),
    connect: ({ id }) =>
      connectStdio({
        ...(programs[id] ?? { command: '', args: [], env: {} }),
        clientInfo: { name: 't', title: 't', version: '1' },
        log: new RecordingLog(),
        processes,
      }),
  });
  const source = { kind: 'setting' } as const;
  const transport = { kind: 'stdio', command: 'node', args: [], env: {} } as const;
  registry.setConfiguration(
    Object.keys(programs).map((id) => ({ id, label: id, source, transport })),
    [],
  );
  return registry;
}
