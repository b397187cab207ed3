import type { Disposable } from 'vscode-jsonrpc/node';
import { riskOf } from '../../core/risk';
import type { Skill } from '../../core/skills/skill';
import type { Tool } from '../../core/types';
import type { ServerRegistry } from '../connections/registry';
import type { Server, ToolEntry } from '../connections/snapshot';
import type { Pins } from '../consent/pins/pins';
import type { Listing, SkillLists } from './serverLists';

export interface SkillPinsOptions {
  readonly registry: Pick<ServerRegistry, 'servers' | 'find'>;
  readonly lists: Pick<SkillLists, 'of' | 'onDidChange'>;
  /** The pins of skills, which are not those of tools. */
  readonly pins: Pins;
}

/**
 * Compares the listed skills with those that the user accepted, by the mechanism of tools: a skill
 * counts as a tool with its URI as the name and its whole entry as the schema. So a skill has
 * changed if its frontmatter or any digest has.
 */
export class SkillPins implements Disposable {
  readonly #options: SkillPinsOptions;
  readonly #subscription: Disposable;
  readonly #entries = new WeakMap<Listing<Skill>, readonly ToolEntry[]>();

  constructor(options: SkillPinsOptions) {
    this.#options = options;
    const { lists, pins } = options;
    this.#subscription = lists.onDidChange((id) => {
      const server = this.#observable(id);
      if (server !== undefined) void pins.observe(server);
    });
  }

  get pins(): Pins {
    return this.#options.pins;
  }

  /** Servers with their skills in place of their tools. */
  get servers(): readonly Server[] {
    const { registry } = this.#options;
    return registry.servers.flatMap(({ config }) => this.#observable(config.id) ?? []);
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  /** Returns `undefined` for a running server whose skills are not known. */
  #observable(id: string): Server | undefined {
    const { registry, lists } = this.#options;
    const server = registry.find(id);
    if (server === undefined) return undefined;
    const listing = lists.of(id);
    const isKnown = listing.state === 'listed' && listing.error === undefined;
    if (server.state.kind === 'running' && !isKnown) return undefined;
    let tools = this.#entries.get(listing);
    if (tools === undefined) {
      tools = listing.entries.map((skill) => toEntry(id, skill));
      this.#entries.set(listing, tools);
    }
    return { ...server, tools, listProblems: listing.problems };
  }
}

function toEntry(serverId: string, skill: Skill): ToolEntry {
  const { uri: name, name: title, description, frontmatter, files } = skill;
  const resources = files === 'dynamic' ? files : files.map((file) => ({ ...file }));
  const inputSchema = { frontmatter, resources };
  const tool: Tool = {
    name,
    title,
    description,
    inputSchema,
    annotations: {},
    callable: true,
    problems: [],
  };
  return { serverId, tool, risk: riskOf(tool.annotations) };
}
