import { sortedEntries } from '../../core/json/shapes';
import { fingerprint, toolFingerprint, type Fingerprint } from '../consent/facts/fingerprints';
import type { CallQuestion } from './call';

/**
 * The user's earlier approval of a call, for example in one question about several calls. It is
 * valid for that call only, and while the gate asks exactly what the user saw: the same tool of the
 * same server, the same arguments and the same reason. The gate asks about anything else.
 */
export class CallApproval {
  readonly #digest: Fingerprint;
  #isLeft = true;

  constructor(seen: CallQuestion) {
    this.#digest = digestOf(seen);
  }

  /**
   * Returns true if the user saw this question. Only the first question can be answered, whichever
   * it is.
   */
  answers(question: CallQuestion): boolean {
    const isYes = this.#isLeft && this.#digest === digestOf(question);
    this.#isLeft = false;
    return isYes;
  }
}

/**
 * Returns a digest of everything that is shown about a call. Each part has its own fingerprint, so
 * that a schema that cannot be serialized does not make the other parts of two calls equal.
 */
function digestOf({
  config,
  entry,
  arguments: given,
  answers,
  ...rest
}: CallQuestion): Fingerprint {
  const { id, label, source, transport } = config;
  const { effect, cause, pin } = rest.decision;
  const pieces: readonly unknown[] = [
    [id, label, source, transport],
    toolFingerprint(entry.tool),
    entry.risk,
    given === undefined,
    [effect, cause.kind, pin.kind],
    ...sortedEntries(rest),
    answers?.map(({ question: asked, action, content }) => [asked?.source, action, content]),
  ];
  return fingerprint(pieces.map(fingerprint));
}
