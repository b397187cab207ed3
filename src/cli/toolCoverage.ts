import type { Server } from '../host/connections/snapshot';
import type { ServerCoverage } from './reporters/report';

/** Which tools were called, of those that the servers of a run offered at any time. */
export class ToolCoverage {
  readonly #offered = new Map<string, Set<string>>();
  readonly #called = new Map<string, Set<string>>();

  noteOffered({ config, tools }: Pick<Server, 'config' | 'tools'>): void {
    for (const { tool } of tools) namesOf(this.#offered, config.id).add(tool.name);
  }

  /** The tool answered. */
  noteCalled(server: string, tool: string): void {
    namesOf(this.#called, server).add(tool);
  }

  servers(): readonly ServerCoverage[] {
    return [...this.#offered].map(([server, offered]) => {
      const called = namesOf(this.#called, server);
      const uncalled = [...offered].filter((name) => !called.has(name));
      return { server, offered: offered.size, called: offered.size - uncalled.length, uncalled };
    });
  }
}

function namesOf(all: Map<string, Set<string>>, server: string): Set<string> {
  const names = all.get(server) ?? new Set();
  all.set(server, names);
  return names;
}
