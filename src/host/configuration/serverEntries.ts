import { type Node, findNodeAtLocation } from 'jsonc-parser';
import { jsonTree, type TextRange } from './jsonTree';
import type { ConfigProblem } from './serverConfig';

type Path = readonly (string | number)[];

/** Positions of the entries in the text of a configuration, which is parsed once. */
export class ServerEntries {
  readonly #root: Node | undefined;
  /** The first syntax error. Comments, trailing commas and an empty text are valid. */
  readonly error: TextRange | undefined;

  constructor(text: string) {
    const { root, error } = jsonTree(text);
    this.#root = root;
    this.error = error && { offset: error.offset, length: error.length };
  }

  /**
   * Returns the range of a problem. A problem that is known only after all files were read is shown
   * at its entry.
   */
  place({ code, offset, length = 0, path }: ConfigProblem): TextRange | undefined {
    if (offset !== undefined) return { offset, length };
    return code === 'shadowed' ? this.key(path) : this.value(path);
  }

  /** Returns the range of the value at `path`, with its name. */
  entry(path: Path): TextRange | undefined {
    const node = this.node(path);
    return rangeOf(node?.parent?.type === 'property' ? node.parent : node);
  }

  value(path: Path): TextRange | undefined {
    return path.length === 0 ? undefined : rangeOf(this.node(path));
  }

  /** Returns the range of the name of the entry at `path`. */
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
