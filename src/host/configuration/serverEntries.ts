import { findNodeAtLocation, type Node } from 'jsonc-parser';
import { jsonTree, type TextRange } from './jsonTree';
import type { ConfigProblem } from './serverConfig';

type Path = readonly (string | number)[];

/** Where the entries of a configuration stand in its text, which is read once. */
export class ServerEntries {
  readonly #root: Node | undefined;
  /** Where it stops being JSON; comments, trailing commas and an empty text are fine. */
  readonly error: TextRange | undefined;

  constructor(text: string) {
    const { root, error } = jsonTree(text);
    this.#root = root;
    this.error = error && { offset: error.offset, length: error.length };
  }

  /** Where a problem stands; of what is known only when all files were read, its entry tells. */
  place({ code, offset, length = 0, path }: ConfigProblem): TextRange | undefined {
    if (offset !== undefined) return { offset, length };
    return code === 'shadowed' ? this.key(path) : this.value(path);
  }

  /** What stands at `path`, its name included. */
  entry(path: Path): TextRange | undefined {
    const node = this.node(path);
    return rangeOf(node?.parent?.type === 'property' ? node.parent : node);
  }

  value(path: Path): TextRange | undefined {
    return path.length === 0 ? undefined : rangeOf(this.node(path));
  }

  /** The name of the entry at `path`. */
  key(path: Path): TextRange | undefined {
    if (path.length === 0) return undefined;
    const node = this.node(path);
    const property = node?.parent;
    return rangeOf(property?.type === 'property' ? property.children?.[0] : node);
  }

  node(path: Path): Node | undefined {
    return this.#root && findNodeAtLocation(this.#root, [...path]);
  }
}

function rangeOf(node: Node | undefined): TextRange | undefined {
  return node && { offset: node.offset, length: node.length };
}
