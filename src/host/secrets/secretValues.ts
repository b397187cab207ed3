import { secretMarker } from '../journal/entry';
import { formsOf, minSecretChars } from './secretForms';

/** A private key has some thousands; what is longer is a file and no secret that somebody types. */
const maxSecretChars = 64 * 1024;

/** Beyond this the oldest are forgotten; a hundred servers have some hundreds. */
const maxSecrets = 2_000;

/**
 * The secrets that are in use in this window, so that no log, report or journal shows one. They are
 * held in memory only. A secret that was forgotten or changed stays here until the window ends,
 * because servers that were started with it still know it.
 */
export class SecretValues {
  /** Each value with the forms it may stand in. */
  readonly #forms = new Map<string, ReadonlySet<string>>();
  /** Made when it is needed. */
  #index: FormIndex | undefined;

  /** Takes a value in; one of fewer than four characters is not looked for. */
  add(value: string): void {
    if (this.#forms.has(value) || value.length > maxSecretChars) return;
    const forms = formsOf(value);
    if (forms.size === 0) return;
    this.#forms.set(value, forms);
    const [oldest] = this.#forms.keys();
    if (this.#forms.size > maxSecrets && oldest !== undefined) this.#forms.delete(oldest);
    this.#index = undefined;
  }

  /** Whether there is nothing to look for. */
  get isEmpty(): boolean {
    return this.#forms.size === 0;
  }

  /**
   * The text with `(secret)` in place of every piece that belongs to a secret, once where
   * several of them touch or overlap. The time it takes grows with the length of the text and no faster.
   */
  redact(text: string): string {
    if (this.isEmpty) return text;
    this.#index ??= new FormIndex(this.#forms.values());
    let redacted = '';
    let end = 0;
    for (const match of this.#index.matches(text)) {
      if (match.begin > end || end === 0) redacted += text.slice(end, match.begin) + secretMarker;
      end = Math.max(end, match.end);
    }
    return end === 0 ? text : redacted + text.slice(end);
  }
}

interface Match {
  readonly begin: number;
  readonly end: number;
}

/**
 * Forms by their first four characters. One step per character of a text, however many forms there
 * are: one pattern of all of them took a second for a megabyte and five hundred secrets.
 */
class FormIndex {
  readonly #longestFirst = new Map<string, string[]>();
  /** Which beginnings there are at all, by a number that several may share. */
  readonly #begins = new Uint8Array(hashMask + 1);

  constructor(forms: Iterable<ReadonlySet<string>>) {
    const all = new Set([...forms].flatMap((some) => [...some]));
    for (const form of [...all].toSorted((a, b) => b.length - a.length)) {
      const begin = form.slice(0, minSecretChars);
      const known = this.#longestFirst.get(begin);
      if (known) known.push(form);
      else this.#longestFirst.set(begin, [form]);
      this.#begins[hashOf(begin, 0)] = 1;
    }
  }

  /** At each place the longest form that begins there, in their order; they may overlap. */
  *matches(text: string): Generator<Match> {
    for (let begin = 0; begin + minSecretChars <= text.length; begin += 1) {
      if (this.#begins[hashOf(text, begin)] !== 1) continue;
      const candidates = this.#longestFirst.get(text.slice(begin, begin + minSecretChars));
      const form = candidates?.find((candidate) => text.startsWith(candidate, begin));
      if (form !== undefined) yield { begin, end: begin + form.length };
    }
  }
}

const hashMask = 0xffff;

/** Of the four characters from there on. */
function hashOf(text: string, at: number): number {
  const first = text.charCodeAt(at) | (text.charCodeAt(at + 1) << 8);
  const second = text.charCodeAt(at + 2) | (text.charCodeAt(at + 3) << 8);
  return (Math.imul(first, 0x9e37) + Math.imul(second, 0x85eb)) & hashMask;
}
