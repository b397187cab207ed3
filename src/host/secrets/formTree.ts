import { minSecretChars } from './secretForms';

/** A place in a text where a form stands: UTF-16 units, `end` exclusive. */
export interface Match {
  readonly begin: number;
  readonly end: number;
}

/** What follows the characters that lead here; those that begin alike share their beginning. */
interface Node {
  rest: string;
  /** How many values have the form that ends with `rest`. */
  ends: number;
  /** By their first character. */
  next: Map<number, Node> | undefined;
}

/**
 * Forms to look for, which come and go one by one. A step for each character of a text where nothing
 * begins, and where something does, no more than the longest form: however many forms there are,
 * and however alike they begin, as the tokens of one service do.
 */
export class FormTree {
  /** By the first four characters. */
  readonly #roots = new Map<string, Node>();
  /** Which beginnings there may be, by a number that several share; most places of a text end here. */
  #begins = new Uint8Array(1 << 12);

  /** Counts how often it was added; {@link remove} takes one back. At least four characters. */
  add(form: string): void {
    const begin = form.slice(0, minSecretChars);
    const root = this.#roots.get(begin) ?? { rest: '', ends: 0, next: undefined };
    if (root.next === undefined && root.ends === 0) {
      this.#roots.set(begin, root);
      this.#mark(begin);
    }
    let node = root;
    let at = minSecretChars;
    while (at < form.length) {
      const code = form.charCodeAt(at);
      const next: Node | undefined = node.next?.get(code);
      if (next === undefined) {
        const leaf = { rest: form.slice(at), ends: 0, next: undefined };
        (node.next ??= new Map()).set(code, leaf);
        node = leaf;
        break;
      }
      const shared = sharedLength(next.rest, form, at);
      if (shared < next.rest.length) split(next, shared);
      node = next;
      at += shared;
    }
    node.ends += 1;
  }

  /** Of a form that was added and is still there. */
  remove(form: string): void {
    const begin = form.slice(0, minSecretChars);
    const root = this.#roots.get(begin);
    if (root !== undefined && takeOut(root, form, minSecretChars)) this.#roots.delete(begin);
  }

  /** At each place the longest form that begins there, in their order; they may overlap. */
  *matches(text: string): Generator<Match> {
    const begins = this.#begins;
    const mask = begins.length - 1;
    const last = text.length - minSecretChars;
    for (let begin = 0; begin <= last; begin += 1) {
      if (begins[hashOf(text, begin) & mask] !== 1) continue;
      const root = this.#roots.get(text.slice(begin, begin + minSecretChars));
      const end = root === undefined ? 0 : longestEnd(root, text, begin + minSecretChars);
      if (end > 0) yield { begin, end };
    }
  }

  #mark(begin: string): void {
    // One in eight at most, so that few places are looked at for nothing.
    if (this.#roots.size * 8 > this.#begins.length && this.#begins.length < 1 << 21) {
      this.#begins = new Uint8Array(this.#begins.length * 4);
      for (const known of this.#roots.keys()) this.#set(known);
    }
    this.#set(begin);
  }

  #set(begin: string): void {
    this.#begins[hashOf(begin, 0) & (this.#begins.length - 1)] = 1;
  }
}

/** Where the longest form ends of which `at` is behind the first characters; 0 for none. */
function longestEnd(root: Node, text: string, at: number): number {
  let end = root.ends > 0 ? at : 0;
  let next = root.next?.get(text.charCodeAt(at));
  while (next !== undefined && text.startsWith(next.rest, at)) {
    at += next.rest.length;
    if (next.ends > 0) end = at;
    next = next.next?.get(text.charCodeAt(at));
  }
  return end;
}

/** Whether nothing is left below the node. */
function takeOut(node: Node, form: string, at: number): boolean {
  if (at === form.length) node.ends -= 1;
  const code = form.charCodeAt(at);
  const next = node.next?.get(code);
  if (next !== undefined && takeOut(next, form, at + next.rest.length)) {
    node.next?.delete(code);
    if (node.next?.size === 0) node.next = undefined;
  }
  return node.ends === 0 && node.next === undefined;
}

/** The first `length` characters stay, the others become what follows. */
function split(node: Node, length: number): void {
  const { rest, ends, next } = node;
  node.next = new Map([[rest.charCodeAt(length), { rest: rest.slice(length), ends, next }]]);
  node.rest = rest.slice(0, length);
  node.ends = 0;
}

function sharedLength(rest: string, form: string, at: number): number {
  const most = Math.min(rest.length, form.length - at);
  let length = 1;
  while (length < most && rest.charCodeAt(length) === form.charCodeAt(at + length)) length += 1;
  return length;
}

/** Of the four characters from there on. */
function hashOf(text: string, at: number): number {
  const first = text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16);
  const second = text.charCodeAt(at + 2) | (text.charCodeAt(at + 3) << 16);
  const mixed = Math.imul(first, 0x9e3779b1) + Math.imul(second, 0x85ebca6b);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
