import type { HeldSecrets, SecretValues } from '../secrets/secretValues';

/** A sign-in has six, and a grant that is renewed two more each time. */
const maxLearned = 100;
const maxLearnedChars = 256 * 1024;
/** Of a longer one its beginning is looked for. */
const maxSecretChars = 32 * 1024;

/**
 * The secrets of the sign-ins of one server, known to the redaction: the latest of them, because a
 * server can have its tokens renewed as often as it likes, and must push out nobody else's.
 */
export class LearnedSecrets {
  readonly #values: Pick<SecretValues, 'hold'>;
  /** The oldest first. */
  readonly #held = new Map<string, HeldSecrets>();
  #chars = 0;

  constructor(values: Pick<SecretValues, 'hold'>) {
    this.#values = values;
  }

  learn(text: string): void {
    const secret = text.slice(0, maxSecretChars);
    const known = this.#held.get(secret);
    this.#held.delete(secret);
    if (known === undefined) this.#chars += secret.length;
    this.#held.set(secret, known ?? this.#values.hold([secret]));
    for (const [oldest, held] of this.#held) {
      const isWithin = this.#held.size <= maxLearned && this.#chars <= maxLearnedChars;
      if (isWithin || oldest === secret) break;
      this.#held.delete(oldest);
      this.#chars -= oldest.length;
      held.forget();
    }
  }
}
