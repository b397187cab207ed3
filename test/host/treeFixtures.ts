import { riskOf } from '../../src/core/risk';
import type { Tool, ToolAnnotations } from '../../src/core/types';
import type { ConfigProblem } from '../../src/host/configuration/serverConfig';
import type { Server, ServerState, ToolEntry } from '../../src/host/connections/snapshot';

// Snapshots as the registry would hand them out, without starting anything.

export function toolOf(name: string, more: Partial<Tool> = {}): Tool {
  return { name, inputSchema: {}, annotations: {}, callable: true, problems: [], ...more };
}

export function entryOf(serverId: string, tool: Tool): ToolEntry {
  return { serverId, tool, risk: riskOf(tool.annotations) };
}

export function annotated(name: string, annotations: ToolAnnotations, description = ''): Tool {
  return toolOf(name, { annotations, description });
}

export const running: ServerState = {
  kind: 'running',
  revision: '2025-11-25',
  serverInfo: { name: 'fixture', version: '1' },
  pid: 7,
  startedAt: 0,
};

export function serverOf(id: string, tools: readonly Tool[], more: Partial<Server> = {}): Server {
  return {
    config: {
      id,
      label: id,
      source: { kind: 'setting' },
      transport: { kind: 'stdio', command: 'node', args: [], env: {} },
    },
    state: running,
    tools: tools.map((tool) => entryOf(id, tool)),
    listProblems: [],
    configProblems: [],
    garbageLines: 0,
    notices: [],
    ...more,
  };
}

export function configProblem(more: Partial<ConfigProblem> = {}): ConfigProblem {
  return { code: 'notJson', source: { kind: 'setting' }, path: [], fatal: true, ...more };
}

/** Holds snapshots; the tree never finds out that nothing runs behind them. */
export class Snapshots {
  servers: readonly Server[];
  problems: readonly ConfigProblem[];

  constructor(servers: readonly Server[], problems: readonly ConfigProblem[] = []) {
    this.servers = servers;
    this.problems = problems;
  }

  find(id: string): Server | undefined {
    return this.servers.find(({ config }) => config.id === id);
  }
}
