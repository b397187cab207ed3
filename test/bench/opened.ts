import type { Part } from '../../src/core/content/contentParts';
import type { McpClient } from '../../src/core/client';
import { riskOf } from '../../src/core/risk';
import { SchemaValidator } from '../../src/core/schema/schema';
import { RunningCalls } from '../../src/host/calls/runningCalls';
import type { ServerConfig } from '../../src/host/configuration/serverConfig';
import type { Server } from '../../src/host/connections/snapshot';
import { Gate } from '../../src/host/calls/gate';
import { CallRecorder } from '../../src/host/journal/callRecorder';
import { isSpooled } from '../../src/host/results/resultSpool';
import { keepingIn } from './keptResults';
import { ruleOf, SteeredConsent } from '../host/steeredConsent';

/** What a call brought, as the file system of results hands it out. */
export interface KeptAnswer {
  readonly parts: readonly Part[];
  /** Names of all files: each part, and beside a large text its beginning. */
  readonly names: readonly string[];
  readonly read: (name: string) => Promise<Uint8Array>;
}

/** Resolves with what is opened first, and then with all of it, as Open Full and Save As… read it. */
export async function openerOf(
  client: McpClient,
  folder: string,
): Promise<(tool: string) => Promise<void>> {
  const keep = await keeperOf(client, folder);
  return async (tool) => {
    const { parts, names, read } = await keep(tool);
    await read(names.at(-1) ?? '');
    for (const part of parts) if (isSpooled(part)) await part.spooled.settled;
    await read(names[0] ?? '');
  };
}

/**
 * Calls by the product's way, from the wire to what the file system of results hands out: the gate,
 * the journal's digest, files of the parts, the disk. `folder` is for what is large.
 */
export async function keeperOf(
  client: McpClient,
  folder: string,
): Promise<(tool: string) => Promise<KeptAnswer>> {
  const { tools } = await client.listTools();
  const config: ServerConfig = {
    id: 'bench',
    label: 'bench',
    source: { kind: 'setting' },
    reach: { kind: 'http', url: 'http://127.0.0.1/', headers: {} },
  };
  const entries = tools.map((tool) => ({
    serverId: 'bench',
    tool,
    risk: riskOf(tool.annotations),
  }));
  const server = { config, state: { kind: 'running' }, tools: entries } as unknown as Server;
  const consent = new SteeredConsent();
  consent.rules = [ruleOf('allow')];
  const gate = new Gate({
    registry: {
      find: () => server,
      client: () => client,
      listAnnouncedTools: async () => undefined,
    },
    validator: new SchemaValidator(),
    consent: consent.consent,
    confirm: async () => ({ kind: 'no' }),
    journal: new CallRecorder({
      journal: { write: async () => undefined, record: async () => undefined },
      recordsArguments: () => false,
      isRequired: () => false,
    }),
    calls: new RunningCalls(),
    limits: () => ({
      callTimeoutMs: 300_000,
      callTimeouts: new Map(),
      callCeilingMs: 300_000,
      maxCallsPerServer: 8,
    }),
  });
  const { store, keep } = keepingIn(folder, 256 * 1024 * 1024);
  return async (tool) => {
    const outcome = await gate.call({
      server: 'bench',
      tool,
      arguments: { text: '' },
      origin: 'api',
    });
    if (outcome.kind !== 'result') throw new Error(outcome.kind);
    // As `Results` does.
    await new Promise((resolve) => setImmediate(resolve));
    const { path, parts, names } = await keep(tool, outcome.result);
    const read = async (name: string): Promise<Uint8Array> => {
      const node = store.find(`${path}/${name}`);
      if (node?.kind !== 'file') throw new Error('no file');
      return node.file.read();
    };
    return { parts, names, read };
  };
}
