import { AsyncLocalStorage } from 'node:async_hooks';
import type { CancellationToken } from 'vscode-jsonrpc/node';
import { fingerprint, toolFingerprint, type Fingerprint } from '../consent/facts/fingerprints';
import type { CallAnswer, CallQuestion } from './call';

type Confirm = (question: CallQuestion, token: CancellationToken) => Promise<CallAnswer>;

/** A yes that was given before the gate asked; it answers one question and is gone. */
interface Approval {
  readonly digest: Fingerprint;
  isLeft: boolean;
}

/** Nobody is there who could be asked. */
const nobody = 'nobody';

/**
 * Yeses that a person gave to several calls at once. Each holds for the one call that it was given
 * for, and only as long as the gate asks exactly what the person saw: the same tool of the same
 * server, the same arguments and the same reason. Whatever differs is asked about as ever.
 */
export class ApprovedCalls {
  readonly #ask: Confirm;
  readonly #approvals = new AsyncLocalStorage<Approval | typeof nobody>();

  constructor(dialog: { readonly confirm: Confirm }) {
    this.#ask = (question, token) => dialog.confirm(question, token);
  }

  /**
   * What makes a call with the yes to `seen`: its first question is answered if it is the one that
   * the person saw. Made once more, the call is asked about.
   */
  approve(seen: CallQuestion): <T>(call: () => Promise<T>) => Promise<T> {
    const approval: Approval = { digest: digestOf(seen), isLeft: true };
    return (call) => this.#approvals.run(approval, call);
  }

  /** Makes a call that nobody is asked about: whatever would be asked is answered with no. */
  withoutAsking<T>(call: () => Promise<T>): Promise<T> {
    return this.#approvals.run(nobody, call);
  }

  /** Answers for the gate. */
  confirm(question: CallQuestion, token: CancellationToken): Promise<CallAnswer> {
    const approval = this.#approvals.getStore();
    if (approval === nobody) return Promise.resolve({ kind: 'no' });
    if (approval?.isLeft !== true) return this.#ask(question, token);
    approval.isLeft = false;
    if (approval.digest !== digestOf(question)) return this.#ask(question, token);
    return Promise.resolve({ kind: 'run' });
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
