import { AsyncLocalStorage } from 'node:async_hooks';
import type { CancellationToken } from 'vscode-jsonrpc/node';
import { fingerprint, toolFingerprint, type Fingerprint } from '../consent/facts/fingerprints';
import type { CallAnswer, CallQuestion } from './call';

type Confirm = (question: CallQuestion, token: CancellationToken) => Promise<CallAnswer>;

/** Makes a call with a yes that was given to it before. */
export type WithYes = <T>(call: () => Promise<T>, isElseNo?: boolean) => Promise<T>;

/** A yes that was given before the gate asked; it answers one question and is gone. */
interface Approval {
  readonly digest: Fingerprint;
  isLeft: boolean;
}

/** What there is to answer with. */
interface Answering {
  readonly approval?: Approval;
  /** Nobody is there who could be asked. */
  readonly isElseNo: boolean;
}

/**
 * Yeses that a person gave to several calls at once. Each holds for the one call that it was given
 * for, and only as long as the gate asks exactly what the person saw: the same tool of the same
 * server, the same arguments and the same reason. Whatever differs is asked about as ever.
 */
export class ApprovedCalls {
  readonly #ask: Confirm;
  readonly #approvals = new AsyncLocalStorage<Answering>();

  constructor(dialog: { readonly confirm: Confirm }) {
    this.#ask = (question, token) => dialog.confirm(question, token);
  }

  /**
   * What makes a call with the yes to `seen`: its first question is answered if it is the one that
   * the person saw. Made once more, the call is asked about. `isElseNo`: nobody is asked, and what
   * the yes is not for is a no.
   */
  approve(seen: CallQuestion): WithYes {
    const approval: Approval = { digest: digestOf(seen), isLeft: true };
    return (call, isElseNo = false) => this.#approvals.run({ approval, isElseNo }, call);
  }

  /** Makes a call that nobody is asked about: whatever would be asked is answered with no. */
  withoutAsking<T>(call: () => Promise<T>): Promise<T> {
    return this.#approvals.run({ isElseNo: true }, call);
  }

  /** Answers for the gate. */
  confirm(question: CallQuestion, token: CancellationToken): Promise<CallAnswer> {
    const { approval, isElseNo = false } = this.#approvals.getStore() ?? {};
    const isYes = approval?.isLeft === true && approval.digest === digestOf(question);
    if (approval !== undefined) approval.isLeft = false;
    if (isYes) return Promise.resolve({ kind: 'run' });
    return isElseNo ? Promise.resolve({ kind: 'no' }) : this.#ask(question, token);
  }
}

/**
 * Of everything that a person is shown of a call. Each piece has a fingerprint of its own: a schema
 * that is nested too deeply to be written must not make the rest of two calls equal.
 */
function digestOf(question: CallQuestion): Fingerprint {
  const { config, entry, argumentsJson, decision, schemaProblem, defaults } = question;
  const { origin, client } = question;
  const { id, label, source, reach } = config;
  const pieces: readonly unknown[] = [
    [id, label, source, reach],
    toolFingerprint(entry.tool),
    entry.risk,
    [question.arguments === undefined, argumentsJson, origin, client],
    [decision.effect, decision.cause.kind, decision.pin.kind],
    decision,
    [schemaProblem, defaults],
  ];
  return fingerprint(pieces.map(fingerprint));
}
