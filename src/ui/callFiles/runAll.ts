import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { CallFile, FileCall } from '../../core/callFiles/callFile';
import { escapeIcons } from '../../core/visibleText';
import { CallApproval } from '../../host/calls/callApproval';
import type { CallOrigin } from '../../host/consent/facts/callOrigin';
import { notify } from '../editor/messages';
import { runnableFile, type CallFileRunner } from './callFileRunner';
import type { CallFileValues, RunValues } from './callFileValues';
import type { RunState } from './callFileRuns';
import { previewCalls, type CallPreview, type PreviewOptions } from './callPreviews';
import { endSentence } from './formatRun';
import type { Environments } from './environments';
import type { RunAllAnswer, RunAllQuestions } from './runAllQuestions';
import type { RunReports } from './runReports';

export interface RunAllOptions extends PreviewOptions {
  readonly runner: CallFileRunner;
  readonly values: Pick<CallFileValues, 'fill' | 'fileValuesOf' | 'prepare' | 'newSeparateRun'>;
  readonly questions: Pick<RunAllQuestions, 'ask'>;
  readonly reports: Pick<RunReports, 'show'>;
  readonly environments: Pick<Environments, 'chooseFor'>;
}

type Yeses = ReadonlyMap<number, CallApproval>;

interface FileRun {
  readonly document: vscode.TextDocument;
  readonly file: CallFile;
  readonly origin: CallOrigin;
  readonly values: RunValues;
}

const statusMs = 5_000;
const openNothing = () => Promise.resolve();

/** Runs all calls of a file, after a single question for those that need approval. */
export class RunAll {
  readonly #options: RunAllOptions;
  readonly #busy = new Set<string>();

  constructor(options: RunAllOptions) {
    this.#options = options;
  }

  /**
   * Runs the calls in order up to the first that does not pass, then the cleanup calls. Opens no
   * results, but a report.
   */
  async run(document: vscode.TextDocument, origin: CallOrigin): Promise<void> {
    const key = document.uri.toString();
    if (this.#busy.has(key)) {
      showStatus(l10n.t('The calls in this file are already running.'));
      return;
    }
    this.#busy.add(key);
    try {
      const { runner } = this.#options;
      const file = await runnableFile(document);
      if (file === undefined) return;
      if (!(await this.#options.environments.chooseFor(file))) {
        showStatus(noneWasRun());
        return;
      }
      if (!(await runner.startServers(file.calls, false))) return;
      // All calls of the file belong to the run, so none uses results of an earlier run.
      const values = this.#options.values.newSeparateRun(file.calls);
      try {
        const run = { document, file, origin, values };
        const yeses = await this.#ask(run);
        if (yeses === undefined) showStatus(noneWasRun());
        else await this.#runInOrder(run, yeses);
      } finally {
        values.results.dispose();
      }
    } finally {
      this.#busy.delete(key);
    }
  }

  /**
   * Returns the calls that the user approved together; `undefined` if the user cancelled the run.
   */
  async #ask({ document, file, origin, values }: FileRun): Promise<Yeses | undefined> {
    const previewed = await previewCalls(this.#options, document.uri, file, origin, values);
    if (previewed === undefined) return undefined;
    // A list saves nothing for a single question, so the call asks on its own.
    if (previewed.filter(({ kind }) => kind === 'asked').length < 2) return new Map();
    const answer = await this.#options.questions.ask(nameOf(document), origin, previewed);
    return answer === undefined ? undefined : this.#yesesOf(previewed, answer);
  }

  #yesesOf(previewed: readonly CallPreview[], answer: NonNullable<RunAllAnswer>): Yeses {
    return new Map(
      [...answer].flatMap((index) => {
        const each = previewed[index];
        if (each?.kind !== 'asked') return [];
        return [[index, new CallApproval(each.question)] as const];
      }),
    );
  }

  async #runInOrder({ document, file, origin, values }: FileRun, yeses: Yeses): Promise<void> {
    const { runner, reports } = this.#options;
    const { calls } = file;
    const startedAt = Date.now();
    const states: (RunState | undefined)[] = [];
    const left: FileCall[] = [];
    let ended: number | undefined;
    for (const [index, call] of calls.entries()) {
      if (ended !== undefined && call.phase !== 'after') {
        left.push(call);
        continue;
      }
      const run = { call, origin, values, approval: yeses.get(index) };
      const state = await runner.runCall(document, file, run, { showOutcome: openNothing });
      states[index] = state;
      if (state?.kind !== 'passed') ended ??= index;
    }
    const end = { calls, states, left, ...(ended === undefined ? {} : { ended }) };
    notify(ended === undefined ? 'information' : 'warning', endSentence(end));
    await reports.show({ ...end, startedAt, fileName: nameOf(document) });
  }
}

function nameOf({ uri }: vscode.TextDocument): string {
  return uri.path.split('/').at(-1) ?? '';
}

function noneWasRun(): string {
  return l10n.t('No call in the file was run.');
}

function showStatus(sentence: string): void {
  vscode.window.setStatusBarMessage(escapeIcons(sentence), statusMs);
}
