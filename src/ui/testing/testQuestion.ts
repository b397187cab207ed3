import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { calledName, type FileCall } from '../../core/callFiles/callFile';
import { CallApproval } from '../../host/calls/callApproval';
import { previewCalls, type CallPreview, type PreviewOptions } from '../callFiles/callPreviews';
import type { RunAllQuestions } from '../callFiles/runAllQuestions';
import type { ReadyFile } from './readyFiles';

export interface TestQuestionOptions extends PreviewOptions {
  readonly questions: Pick<RunAllQuestions, 'ask'>;
}

/** The calls that the user approved before the run. */
export type Yeses = ReadonlyMap<FileCall, CallApproval>;

/** Asks once before a run about all calls that would each ask. */
export class TestQuestion {
  readonly #options: TestQuestionOptions;

  constructor(options: TestQuestionOptions) {
    this.#options = options;
  }

  /** Resolves with `undefined` if the user refuses the run. A single call asks by itself. */
  async ask(files: readonly ReadyFile[]): Promise<Yeses | undefined> {
    const all: { readonly call: FileCall; readonly foreseen: CallPreview }[] = [];
    for (const ready of files) {
      const { document, file, calls, origin, values } = ready;
      const uri = document.uri;
      const foreseen = await previewCalls(this.#options, uri, { ...file, calls }, origin, values);
      if (foreseen === undefined) return undefined;
      for (const each of foreseen) all.push({ call: each.call, foreseen: each });
    }
    if (all.filter(({ foreseen }) => foreseen.kind === 'asked').length < 2) return new Map();
    const isByCommand = files.some(({ origin }) => origin === 'command');
    const answer = await this.#options.questions.ask(
      nameOf(files),
      isByCommand ? 'command' : 'file',
      listed(files, all),
      true,
    );
    if (answer === undefined) return undefined;
    return new Map(
      [...answer].flatMap((index): (readonly [FileCall, CallApproval])[] => {
        const each = all[index];
        if (each?.foreseen.kind !== 'asked') return [];
        return [[each.call, new CallApproval(each.foreseen.question)]];
      }),
    );
  }
}

/** If there are several files or environments, each call names its own. */
function listed(
  files: readonly ReadyFile[],
  all: readonly { readonly call: FileCall; readonly foreseen: CallPreview }[],
): readonly CallPreview[] {
  const documents = new Set(files.map(({ document }) => document));
  const fileOf = new Map(files.flatMap((file) => file.calls.map((call) => [call, file] as const)));
  return all.map(({ call, foreseen }) => {
    const file = fileOf.get(call);
    if (file === undefined) return foreseen;
    const { document, values } = file;
    const path = vscode.workspace.asRelativePath(document.uri);
    const name = calledName(call);
    const parts = [
      ...(documents.size < 2 ? [] : [`${path}: `]),
      ...(values.environment === undefined ? [] : [`[${values.environment}] `]),
    ];
    return parts.length === 0
      ? foreseen
      : { ...foreseen, call: { ...call, name: `${parts.join('')}${name}` } };
  });
}

function nameOf(files: readonly ReadyFile[]): string {
  const [first, ...others] = new Set(files.map(({ document }) => document.uri));
  if (first === undefined) return '';
  const name = vscode.workspace.asRelativePath(first);
  return others.length === 0 ? name : l10n.t('{0} and {1} more', name, others.length);
}
