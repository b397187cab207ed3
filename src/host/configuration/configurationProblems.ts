import { getNodePath, getNodeValue, type Node } from 'jsonc-parser';
import { sourceAt } from './configurationFormats';
import type { ConfigProblem, ConfigSource } from './serverConfig';

export type ProblemCode = ConfigProblem['code'];

/** More problems in one configuration are not readable and slow to show. */
const maxProblems = 500;

/**
 * Collects the problems of one configuration with their positions: the first 500, and then one for
 * each further server that cannot start.
 */
export class ProblemList {
  readonly problems: ConfigProblem[] = [];
  readonly #stopped = new Set<string | undefined>();
  readonly #source: ConfigSource;
  /** Number of leading path segments that are not part of the setting. */
  readonly #hiddenSegments: number;
  readonly #hasPlaces: boolean;

  /** A setting is converted to text only for parsing, so offsets in that text are meaningless. */
  constructor(source: ConfigSource) {
    this.#source = source;
    this.#hasPlaces = 'path' in source;
    this.#hiddenSegments = this.#hasPlaces ? 0 : 1;
  }

  /** @param node the wrong value, or a property to report at its name */
  add(code: ProblemCode, node: Node, facts: ProblemFacts): void {
    if (!this.#isWanted(facts)) return;
    const place = node.type === 'property' ? (node.children?.[0] ?? node) : node;
    const path = getNodePath(place).slice(this.#hiddenSegments);
    const { offset, length } = place;
    this.problems.push({
      code,
      source: sourceAt(this.#source, path.length < 2 ? [] : path),
      path,
      ...(this.#hasPlaces ? { offset, length } : {}),
      ...facts,
    });
  }

  /** Adds a problem of the whole configuration. */
  addAtAll(
    code: ProblemCode,
    facts: ProblemFacts,
    range?: { offset: number; length: number },
  ): void {
    const place = this.#hasPlaces && range ? { offset: range.offset, length: range.length } : {};
    this.problems.push({ code, source: this.#source, path: [], ...place, ...facts });
  }

  #isWanted({ fatal, server }: ProblemFacts): boolean {
    const isWanted = this.problems.length < maxProblems || (fatal && !this.#stopped.has(server));
    if (fatal) this.#stopped.add(server);
    return isWanted;
  }
}

export interface ProblemFacts {
  readonly server?: string;
  readonly detail?: string;
  readonly line?: number;
  readonly fatal: boolean;
}

export interface Property {
  readonly name: string;
  /** The property node; its first child is the name. */
  readonly node: Node;
  readonly value: Node;
}

/**
 * Returns the properties of an object in order. Of duplicate names the last one counts, as in
 * JSON.parse. `onDuplicate` is called for the earlier ones.
 */
export function propertiesOf(object: Node, onDuplicate: (property: Property) => void): Property[] {
  const byName = new Map<string, Property>();
  for (const node of object.children ?? []) {
    const [key, value] = node.children ?? [];
    if (key === undefined || value === undefined) continue;
    const name = String(getNodeValue(key));
    const earlier = byName.get(name);
    if (earlier !== undefined) onDuplicate(earlier);
    byName.set(name, { name, node, value });
  }
  return [...byName.values()];
}
