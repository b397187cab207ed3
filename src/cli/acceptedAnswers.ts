import path from 'node:path';
import { FileReference, type Expectation } from '../core/callFiles/callFile';
import { findVariables } from '../core/callFiles/callFileVariables';
import { toPointerStep } from '../core/json/jsonPointer';
import { writeExpectation } from '../core/callFiles/writeExpectation';
import { isRelativePath } from '../core/callFiles/parseExpectation';
import type { ExpectationFailure } from '../core/callFiles/expectations';
import type { TestResult } from '../core/testing/runTests';
import { mayWriteBeside } from '../host/callFiles/filesBeside';
import { repeatsSecret } from '../host/history/storedArguments';
import type { SecretValues } from '../host/secrets/secretValues';
import { inLine } from './errorMessage';
import { replaceText } from './replaceText';

/** Failures that --update can resolve by writing the answer. */
const acceptable: ReadonlySet<string> = new Set([
  'isError',
  'isNoError',
  'outputSchema',
  'outputMissing',
  'noViolation',
  'value',
  'answer',
]);

export interface AcceptedAnswersOptions {
  /** The call file, and its text as it was read. */
  readonly file: string;
  readonly text: string;
  /** The folder outside of which nothing is written. */
  readonly folder: string;
  readonly secrets: Pick<SecretValues, 'redact' | 'isEmpty'>;
  /** The answer files of all calls of a run, by path, each with the text if the run wrote it. */
  readonly answerFiles: Map<string, string | undefined>;
  /** Called after the call file was written. */
  readonly onWritten?: ((file: string) => Promise<void>) | undefined;
}

/** Writes answers of failed calls into their file as the expected ones. */
export class AcceptedAnswers {
  readonly #options: AcceptedAnswersOptions;
  #text: string;

  constructor(options: AcceptedAnswersOptions) {
    this.#options = options;
    this.#text = options.text;
  }

  /** Returns the result after the update: passed, or with the reason why nothing was written. Never rejects. */
  async judge(result: TestResult): Promise<TestResult> {
    const { answer } = result.call.expect;
    if (result.status === 'passed' && answer instanceof FileReference) {
      this.#options.answerFiles.set(this.#pathOf(answer.path), undefined);
    }
    if (result.status !== 'failed') return result;
    const message = await this.#accept(result);
    if (message !== undefined) return { ...result, message };
    return { ...result, status: 'passed', failures: [], isUpdated: true };
  }

  /** Returns why nothing was written, or `undefined`. */
  async #accept({ call, result, ...rest }: TestResult): Promise<string | undefined> {
    const { secrets, file, onWritten } = this.#options;
    const failures = rest.failures.map(withoutFile);
    if (result === undefined || failures.length === 0) return 'Not updated: no answer came.';
    if (!failures.every(({ code }) => acceptable.has(code))) {
      return 'Not updated: an answer cannot take the place of this expectation.';
    }
    if (failures.some((failure) => hasVariables(call.expect, failure))) {
      return 'Not updated: this expectation has variables, which an answer would replace.';
    }
    if (await repeatsSecret(result, [], secrets)) {
      return 'Not updated: the answer repeats a secret, and call files are shared.';
    }
    const accepted = { name: call.name, result, failures };
    const written = writeExpectation(this.#text, accepted, { volatile: call.expect.ignored });
    if (written.kind === 'tooLarge') return 'Not updated: the answer is too large.';
    if (written.kind !== 'written') return 'Not updated: nothing of it can be written.';
    try {
      const refusal =
        written.file === undefined ? undefined : await this.#writeAnswer(written.file);
      if (refusal !== undefined) return refusal;
      if (written.text !== this.#text) {
        await replaceText(file, written.text, this.#text);
        await onWritten?.(file);
      }
      this.#text = written.text;
      return undefined;
    } catch (error) {
      return `Not updated: ${error instanceof Error ? inLine(error.message) : ''}.`;
    }
  }

  /** Returns why the file of an answer was not written, or `undefined`. */
  async #writeAnswer({ path: named, text }: { path: string; text: string }) {
    const { file, folder, answerFiles } = this.#options;
    if (!isRelativePath(named) || !(await mayWriteBeside(file, folder, named))) {
      return 'Not updated: the file of the answer is not below this folder.';
    }
    const target = this.#pathOf(named);
    if (answerFiles.has(target) && answerFiles.get(target) !== text) {
      return 'Not updated: another call of this run uses this file.';
    }
    answerFiles.set(target, text);
    await replaceText(target, text);
    return undefined;
  }

  #pathOf(named: string): string {
    return path.resolve(path.dirname(this.#options.file), named);
  }
}

/** Returns true if the expectation contains variables, which an answer must not replace. */
function hasVariables(
  { places, answer }: Expectation,
  { code, pointer }: ExpectationFailure,
): boolean {
  const values =
    code === 'answer'
      ? [answer]
      : places.flatMap((place) =>
          place.kind === 'values' && pointer === `/values${toPointerStep(place.pointer)}`
            ? [place.value]
            : [],
        );
  return values.some(
    (value) =>
      value !== undefined && !(value instanceof FileReference) && findVariables(value).length > 0,
  );
}

/** A missing answer file, or one without JSON, counts as another answer, so that it is written. */
function withoutFile(failure: ExpectationFailure): ExpectationFailure {
  const isMissing = failure.code === 'fileMissing' || failure.code === 'fileNotJson';
  return isMissing && failure.pointer === '/answer' ? { ...failure, code: 'answer' } : failure;
}
