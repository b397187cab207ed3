import { PatternTime } from '../bounds/patterns';
import type { ElicitationRequest, ElicitationResult } from '../input/elicitation';
import type { SchemaValidator } from '../schema/schema';
import type { QuestionAnswer } from './callFile';
import type { ExpectationFailure } from './expectations';

/** Limits all patterns in the answers of one call together. */
const patternsMs = 500;
/** A pattern is matched against the beginning of a longer question. */
const maxMatchedChars = 64 * 1024;
/** Limits the part of a question that is reported. */
const maxToldChars = 1_000;
const maxFailures = 20;

/** Redacts the texts of questions, which may repeat arguments of the call. */
export function redactedQuestions(
  failures: readonly ExpectationFailure[],
  redact: ((text: string) => string) | undefined,
): readonly ExpectationFailure[] {
  if (redact === undefined) return failures;
  return failures.map(({ actual, detail, ...others }) => ({
    ...others,
    ...(actual === undefined ? {} : { actual: redact(actual) }),
    ...(detail === undefined ? {} : { detail: redact(detail) }),
  }));
}

const cancelled: ElicitationResult = { action: 'cancel' };

/** The answers of one call to questions of its server. Each is used once. */
export class QuestionAnswers {
  /** As in the call, with variables filled in. */
  readonly written: readonly QuestionAnswer[];
  readonly #left: QuestionAnswer[];
  readonly #patterns = new PatternTime(patternsMs);
  readonly #failures: ExpectationFailure[] = [];

  constructor(written: readonly QuestionAnswer[]) {
    this.written = written;
    this.#left = [...written];
  }

  /** Questions without an answer, or with one that does not fit. */
  get failures(): readonly ExpectationFailure[] {
    return this.#failures;
  }

  /**
   * Returns the first unused answer that matches the question. If there is none, or if it does not
   * fit the requested form, the question is cancelled. Never throws.
   */
  answer(
    request: ElicitationRequest,
    validator: Pick<SchemaValidator, 'validate'>,
  ): ElicitationResult {
    const message = request.message.slice(0, maxMatchedChars);
    const index = this.#left.findIndex(
      ({ question }) => question === undefined || this.#patterns.test(question, message) === true,
    );
    const [found] = index === -1 ? [] : this.#left.splice(index, 1);
    if (found === undefined) return this.#fail('unanswered', message);
    if (found.action !== 'accept') return { action: found.action };
    // Only the user opens pages.
    if (request.mode === 'url') return this.#fail('browserQuestion', message);
    const { content = {} } = found;
    const verdict = validator.validate(request.schema, content);
    const [first] = verdict.kind === 'invalid' ? verdict.violations : [];
    if (first === undefined) return { action: 'accept', content };
    return this.#fail('answerMisfit', message, `${first.pointer} ${first.message}`.trim());
  }

  /** Reports a question that may belong to another call, so that it gets no answer. */
  cross({ message }: ElicitationRequest): void {
    this.#fail('crossedQuestion', message);
  }

  #fail(
    code: 'unanswered' | 'browserQuestion' | 'answerMisfit' | 'crossedQuestion',
    message: string,
    detail?: string,
  ): ElicitationResult {
    const actual = message.slice(0, maxToldChars);
    const failure = { code, pointer: '', actual, ...(detail === undefined ? {} : { detail }) };
    if (this.#failures.length < maxFailures) this.#failures.push(failure);
    return cancelled;
  }
}
