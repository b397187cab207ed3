import * as vscode from 'vscode';
import type { CallFile } from '../../core/callFiles/callFile';
import { withoutIcons } from '../../core/visibleText';
import type { ApprovedCalls } from '../../host/calls/approvedCalls';
import type { CallOrigin } from '../../host/consent/facts/callOrigin';
import { tell } from '../editor/messages';
import { readyFile, type CallFileRunner, type WishedCall } from './callFileRunner';
import type { RunState } from './callFileRuns';
import { foreseeCalls, type ForeseenCall, type ForeseeingOptions } from './foreseenCalls';
import { endSentence } from './formatRun';
import type { RunAllAnswer, RunAllQuestions } from './runAllQuestions';
import type { RunReports } from './runReports';

export interface RunAllOptions extends ForeseeingOptions {
  readonly runner: CallFileRunner;
  readonly questions: Pick<RunAllQuestions, 'ask'>;
  readonly reports: Pick<RunReports, 'show'>;
  readonly approved: Pick<ApprovedCalls, 'approve'>;
}

type Yeses = ReadonlyMap<number, NonNullable<WishedCall['withYes']>>;

const statusMs = 5_000;
const openNothing = () => Promise.resolve();

/** Runs all calls of a file, after one question about those that would each ask. */
export class RunAll {
  readonly #options: RunAllOptions;
  readonly #busy = new Set<string>();

  constructor(options: RunAllOptions) {
    this.#options = options;
  }

  /** In their order, up to the first that does not pass; opens no result, and leaves a report. */
  async run(document: vscode.TextDocument, origin: CallOrigin): Promise<void> {
    const key = document.uri.toString();
    if (this.#busy.has(key)) {
      showStatus(vscode.l10n.t('The calls of this file are running already.'));
      return;
    }
    this.#busy.add(key);
    try {
      const { runner } = this.#options;
      const file = await readyFile(document);
      if (file === undefined || !(await runner.startServers(file.calls, false))) return;
      const yeses = await this.#ask(document, file, origin);
      if (yeses === undefined) showStatus(vscode.l10n.t('No call of the file was run.'));
      else await this.#runInOrder(document, file, origin, yeses);
    } finally {
      this.#busy.delete(key);
    }
  }

  /** What the person agreed to at once; `undefined` when they do not want the run. */
  async #ask(
    document: vscode.TextDocument,
    file: CallFile,
    origin: CallOrigin,
  ): Promise<Yeses | undefined> {
    const foreseen = await foreseeCalls(this.#options, document.uri, file, origin);
    if (foreseen === undefined) return undefined;
    // One question is no fewer for being asked in a list.
    if (foreseen.filter(({ kind }) => kind === 'asked').length < 2) return new Map();
    const answer = await this.#options.questions.ask(nameOf(document), origin, foreseen);
    return answer === undefined ? undefined : this.#yesesOf(foreseen, answer);
  }

  #yesesOf(foreseen: readonly ForeseenCall[], answer: NonNullable<RunAllAnswer>): Yeses {
    return new Map(
      [...answer].flatMap((index) => {
        const each = foreseen[index];
        if (each?.kind !== 'asked') return [];
        return [[index, this.#options.approved.approve(each.question)] as const];
      }),
    );
  }

  async #runInOrder(
    document: vscode.TextDocument,
    file: CallFile,
    origin: CallOrigin,
    yeses: Yeses,
  ): Promise<void> {
    const { runner, reports } = this.#options;
    const { calls } = file;
    const startedAt = Date.now();
    const states: (RunState | undefined)[] = [];
    let passed = 0;
    for (const [index, call] of calls.entries()) {
      const withYes = yeses.get(index);
      const wish = { call, origin, ...(withYes === undefined ? {} : { withYes }) };
      const state = await runner.runCall(document, file, wish, { showOutcome: openNothing });
      states.push(state);
      if (state?.kind !== 'passed') break;
      passed += 1;
    }
    const end = { calls, passed, state: states.at(-1) };
    tell(passed === calls.length ? 'information' : 'warning', endSentence(end));
    await reports.show({ ...end, states, startedAt, fileName: nameOf(document) });
  }
}

function nameOf({ uri }: vscode.TextDocument): string {
  return uri.path.split('/').at(-1) ?? '';
}

function showStatus(sentence: string): void {
  vscode.window.setStatusBarMessage(withoutIcons(sentence), statusMs);
}
