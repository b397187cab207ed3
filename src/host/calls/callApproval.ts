import { fingerprint, toolFingerprint, type Fingerprint } from '../consent/facts/fingerprints';
import type { CallQuestion } from './call';

/**
 * The yes that a user gave to a call before the gate asks, such as in one question about several calls.
 * It holds for that call alone, and only as long as the gate asks exactly what the user saw: the same
 * tool of the same server, the same arguments and the same reason. Anything else is asked about.
 */
export class CallApproval {
  readonly #digest: Fingerprint;
  #isLeft = true;

  constructor(seen: CallQuestion) {
    this.#digest = digestOf(seen);
  }

  /** Whether the user saw this question. Only the first question can be answered, whichever it is. */
  answers(question: CallQuestion): boolean {
    const isYes = this.#isLeft && this.#digest === digestOf(question);
    this.#isLeft = false;
    return isYes;
  }
}

/**
 * Of everything that the user is shown of a call. Each piece has a fingerprint of its own: a schema
 * that is nested too deeply to be written must not make the rest of two calls equal.
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
    ...Object.entries(rest).toSorted(([one], [other]) => (one < other ? -1 : 1)),
    answers?.map(({ question: asked, action, content }) => [asked?.source, action, content]),
  ];
  return fingerprint(pieces.map(fingerprint));
}
