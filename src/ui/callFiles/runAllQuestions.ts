import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { calledName, type CallFile, type FileCall } from '../../core/callFiles/callFile';
import { sentencesName } from '../../core/content/documentNames';
import type { CallQuestion } from '../../host/calls/call';
import { CallApproval } from '../../host/calls/callApproval';
import type { CallOrigin } from '../../host/consent/facts/callFacts';
import { commands, runAllScheme } from '../../ids';
import { pressWhenRead, type ModalOfWindow, type PressedButton } from '../calls/confirm';
import { EditorQuestions } from '../editor/editorQuestions';
import { notify, showStatus } from '../editor/messages';
import { confirmUnlessNamed } from '../editor/ownArguments';
import { lensAtLine } from '../editor/textPlaces';
import { quoted } from '../format/sentences';
import { runnableFile, type CallFileRunner } from './callFileRunner';
import type { RunState } from './callFileRuns';
import type { CallFileValues, RunValues } from './callFileValues';
import { callsOfAgents, type CallPreview, previewCalls, type PreviewOptions } from './callPreviews';
import type { Environments } from './environments';
import { endSentence } from './formatRun';
import {
  canBeApprovedTogether,
  isDestructive,
  runAllDialog,
  runAllText,
  secondRunAllDialog,
  type RunAllText,
} from './runAllText';
import type { RunReports } from './runReports';

type CheckableCall = Parameters<typeof isDestructive>[0];

/** Indexes of the calls that the user approved; `undefined` if the user cancelled the run. */
type RunAllAnswer = ReadonlySet<number> | undefined;

interface AskedRun {
  readonly fileName: string;
  readonly origin: CallOrigin;
  readonly previewed: readonly CallPreview[];
  readonly checked: Set<number>;
  readonly unfolded: Set<number>;
  readonly goesOn: boolean;
  shown: RunAllText;
}

/**
 * One question about all calls of a file: a dialog, and for its review a read-only document that
 * lists them, with a lens on each to check or uncheck it.
 */
export class RunAllQuestions implements vscode.Disposable {
  readonly #questions = new EditorQuestions<AskedRun, ReadonlySet<number>>(runAllScheme, runLenses);
  readonly #modal: ModalOfWindow;

  constructor(modal: ModalOfWindow) {
    this.#modal = modal;
  }

  register(): vscode.Disposable {
    const register = vscode.commands.registerCommand;
    return vscode.Disposable.from(
      register(commands.toggleFileCall, (uri: unknown, index: unknown) => this.#toggle(uri, index)),
      register(commands.cancelRunAll, (uri: unknown) => this.#questions.refuse(uri)),
      register(commands.runChecked, (uri: unknown) => this.agree(uri)),
    );
  }

  /**
   * Resolves with the calls that the user approved: in a dialog, or in the list if the user reviews
   * them or agents wait for them. Destructive calls are unchecked at first. `goesOn`: the run
   * continues after a call that does not pass.
   */
  async ask(
    fileName: string,
    origin: CallOrigin,
    previewed: readonly CallPreview[],
    goesOn = false,
  ): Promise<RunAllAnswer> {
    const checked = new Set(
      [...previewed.entries()].flatMap(([index, each]) =>
        canBeApprovedTogether(each) && !isDestructive(each) ? [index] : [],
      ),
    );
    const pressed =
      origin === 'agent' ? 'review' : await this.#press(fileName, origin, previewed, checked);
    if (pressed === 'run') return checked;
    if (pressed !== 'review') return undefined;
    const unfolded = new Set<number>();
    const shown = runAllText(fileName, origin, previewed, { checked, unfolded, goesOn });
    const asked = { fileName, origin, previewed, checked, unfolded, goesOn, shown };
    return this.#questions.ask(asked, {
      name: sentencesName(l10n.t('Run All'), 'calls'),
      text: shown.text,
      waiting: () => l10n.t('Review the calls, then select Run.'),
      isCancellable: true,
    });
  }

  /** Calls that do not fit into the dialog need a second answer, and Enter does not give it. */
  async #press(
    fileName: string,
    origin: CallOrigin,
    previewed: readonly CallPreview[],
    checked: ReadonlySet<number>,
  ): Promise<PressedButton | undefined> {
    const asked = previewed.filter((_, index) => checked.has(index));
    let isWhole = true;
    const pressed = await pressWhenRead(this.#modal, (isEarly) => {
      const text = runAllDialog(fileName, origin, previewed, { asked, isEarly });
      ({ isWhole } = text);
      return { ...text, buttons: ['run', 'review'] };
    });
    if (pressed !== 'run' || isWhole) return pressed;
    return pressWhenRead(this.#modal, (isEarly) => ({
      ...secondRunAllDialog(fileName, isEarly),
      buttons: ['review', 'run'],
    }));
  }

  /** Asks the same about waiting calls of agents. */
  askTogether(questions: readonly CallQuestion[]): Promise<RunAllAnswer> {
    return this.ask('', 'agent', callsOfAgents(questions), true);
  }

  /**
   * Answers the question if it is in the active editor. Resolves with true if such a question
   * exists.
   */
  agree(argument: unknown): Promise<boolean> {
    return this.#questions.agree(argument, ({ fileName, origin, previewed, checked }) => {
      // Copied, because checks made while the dialog is open are not part of its question.
      const agreed = new Set(checked);
      const counts = [agreed.size, previewed.length] as const;
      const question =
        origin === 'agent'
          ? l10n.t('Run the checked calls, {0} of {1}?', ...counts)
          : l10n.t('Run the checked calls of “{0}”, {1} of {2}?', quoted(fileName), ...counts);
      return { answer: agreed, sure: { question, yes: l10n.t('Run') } };
    });
  }

  dispose(): void {
    this.#questions.dispose();
  }

  /**
   * Toggles the call of a lens or at the cursor; the first time, a collapsed call is expanded
   * instead.
   */
  async #toggle(argument: unknown, index: unknown): Promise<void> {
    const found = this.#questions.find(argument);
    if (found === undefined || !this.#questions.isInFront(found.uri)) return;
    const { previewed, checked, unfolded, shown, fileName, origin, goesOn } = found.facts;
    const number = typeof index === 'number' ? index : callAtCursor(shown);
    const each = number === undefined ? undefined : previewed[number];
    if (number === undefined || each === undefined || !canBeApprovedTogether(each)) return;
    const isNamed = this.#questions.isNamed(argument);
    if (isDestructive(each) && !unfolded.has(number)) unfolded.add(number);
    else if (!checked.delete(number) && (await isSureOf(each, isNamed))) checked.add(number);
    const text = runAllText(fileName, origin, previewed, { checked, unfolded, goesOn });
    found.facts.shown = text;
    this.#questions.change(found.uri, text.text);
  }
}

function runLenses(
  { previewed, checked, unfolded, shown }: AskedRun,
  uri: vscode.Uri,
): vscode.CodeLens[] {
  const lens = (line: number, title: string, command: string, ...rest: unknown[]) =>
    lensAtLine(line, title, command, uri, ...rest);
  const run = l10n.t('$(run-all) Run, {0} Checked', checked.size);
  return [
    lens(0, run, commands.runCallFile),
    lens(0, l10n.t('$(close) Cancel'), commands.cancelRunAll),
    ...shown.calls.flatMap(({ index, line }) => {
      const each = previewed[index];
      if (each === undefined || !canBeApprovedTogether(each)) return [];
      const isFolded = isDestructive(each) && !unfolded.has(index);
      const isChecked = checked.has(index);
      const title = isFolded ? l10n.t('Expand') : isChecked ? l10n.t('Uncheck') : l10n.t('Check');
      return [lens(line, title, commands.toggleFileCall, index)];
    }),
  ];
}

/**
 * A destructive call is confirmed, unless the user clicked its lens, because other extensions can
 * run the command.
 */
async function isSureOf(each: CheckableCall, isNamedOne: boolean): Promise<boolean> {
  if (!isDestructive(each)) return true;
  const question = l10n.t('Check “{0}”?', quoted(each.call.name));
  return confirmUnlessNamed({ isNamed: isNamedOne, question, yes: l10n.t('Check') });
}

function callAtCursor({ calls }: RunAllText): number | undefined {
  const line = vscode.window.activeTextEditor?.selection.active.line ?? 0;
  return calls.findLast((call) => call.line <= line)?.index;
}

export interface ApprovalOptions extends PreviewOptions {
  readonly questions: Pick<RunAllQuestions, 'ask'>;
}

interface RunAllOptions extends ApprovalOptions {
  readonly runner: CallFileRunner;
  readonly values: Pick<CallFileValues, 'fill' | 'fileValuesOf' | 'prepare' | 'newSeparateRun'>;
  readonly reports: Pick<RunReports, 'show'>;
  readonly environments: Pick<Environments, 'chooseFor'>;
}

/** The calls that the user approved before a run. */
export type Approvals = ReadonlyMap<FileCall, CallApproval>;

/** A call file with what its calls need. */
export interface FileRun {
  readonly document: vscode.TextDocument;
  readonly file: CallFile;
  readonly origin: CallOrigin;
  readonly values: RunValues;
}

/**
 * Asks once before a run about all calls that would each ask; a single call has a question of its
 * own. Resolves with `undefined` if the user cancelled the run.
 * @param how `goesOn`: see {@link RunAllQuestions.ask}; `prefixOf` tells calls of several runs apart
 */
export async function approveCalls(
  options: ApprovalOptions,
  fileName: string,
  runs: readonly FileRun[],
  how: { readonly goesOn?: boolean; readonly prefixOf?: (run: FileRun) => string } = {},
): Promise<Approvals | undefined> {
  const { goesOn, prefixOf = () => '' } = how;
  const previewed: CallPreview[] = [];
  const listed: CallPreview[] = [];
  for (const run of runs) {
    const { document, file, origin, values } = run;
    const ofRun = await previewCalls(options, document.uri, file, origin, values);
    if (ofRun === undefined) return undefined;
    previewed.push(...ofRun);
    const prefix = prefixOf(run);
    for (const each of ofRun) {
      const name = prefix === '' ? each.call.name : prefix + calledName(each.call);
      listed.push({ ...each, call: { ...each.call, name } });
    }
  }
  if (previewed.filter(({ kind }) => kind === 'asked').length < 2) return new Map();
  const origin = runs.some((run) => run.origin === 'command') ? 'command' : 'file';
  const answer = await options.questions.ask(fileName, origin, listed, goesOn);
  return (
    answer &&
    new Map(
      [...answer].flatMap((index) => {
        const each = previewed[index];
        return each?.kind === 'asked' ? [[each.call, new CallApproval(each.question)]] : [];
      }),
    )
  );
}

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
        const approvals = await approveCalls(this.#options, nameOf(document), [run]);
        if (approvals === undefined) showStatus(noneWasRun());
        else await this.#runInOrder(run, approvals);
      } finally {
        values.results.dispose();
      }
    } finally {
      this.#busy.delete(key);
    }
  }

  async #runInOrder(
    { document, file, origin, values }: FileRun,
    approvals: Approvals,
  ): Promise<void> {
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
      const run = { call, origin, values, approval: approvals.get(call) };
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
