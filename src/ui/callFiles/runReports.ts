import * as l10n from '@vscode/l10n';
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { dropOldest } from '../../core/bounds/shortLivedMap';
import type { FileCall } from '../../core/callFiles/callFile';
import { assertNever } from '../../core/errors';
import { tableName } from '../../core/content/documentNames';
import { visibleText } from '../../core/visibleText';
import { commands, reportScheme } from '../../ids';
import { commandLink } from '../editor/ownArguments';
import { resultColumn } from '../editor/resultTabs';
import { formatColumns } from '../format/formatColumns';
import { formatDuration, formatTime } from '../format/formatTime';
import { quoted } from '../format/sentences';
import type { RunState } from './callFileRuns';
import { failureSentence } from './formatCallFileProblem';
import { quotedCallName, passedCount, type RunEnd } from './formatRun';

/** A completed run of all calls of a file. */
interface FinishedRun extends RunEnd {
  readonly fileName: string;
  readonly startedAt: number;
}

/** Content of a read-only report document. */
interface ReportText {
  readonly text: string;
  /** Positions of call names whose answers can be opened. */
  readonly places: readonly {
    readonly line: number;
    readonly end: number;
    readonly callId: string;
  }[];
}

const maxReports = 20;
const maxNameCells = 30;
const maxMessageChars = 200;

/** Reports of runs of all calls of a file: one read-only document each, with a line per call. */
export class RunReports
  implements vscode.TextDocumentContentProvider, vscode.DocumentLinkProvider, vscode.Disposable
{
  readonly #reports = new Map<string, ReportText>();
  readonly #registrations: vscode.Disposable;

  constructor() {
    this.#registrations = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(reportScheme, this),
      vscode.languages.registerDocumentLinkProvider({ scheme: reportScheme }, this),
    );
  }

  /** Opens the report where a result would open. */
  async show(run: FinishedRun): Promise<void> {
    await this.open(l10n.t('Report of {0}', run.fileName), reportOf(run), {
      viewColumn: resultColumn(),
      preview: true,
    });
  }

  /** Shows a report; `stem` is the title of its tab. */
  async open(
    stem: string,
    report: ReportText,
    how: vscode.TextDocumentShowOptions = {},
  ): Promise<void> {
    const path = `/${randomUUID()}/${tableName(stem, 'report')}`;
    const uri = vscode.Uri.from({ scheme: reportScheme, path });
    this.#reports.set(uri.toString(), report);
    dropOldest(this.#reports, maxReports);
    await vscode.window.showTextDocument(uri, how);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return (
      this.#reports.get(uri.toString())?.text ??
      l10n.t('This report is no longer available. Run the calls in the file again.')
    );
  }

  provideDocumentLinks({ uri }: vscode.TextDocument): vscode.DocumentLink[] {
    const places = this.#reports.get(uri.toString())?.places ?? [];
    return places.map(({ line, end, callId }) => {
      const link = new vscode.DocumentLink(
        new vscode.Range(line, 0, line, end),
        vscode.Uri.parse(commandLink(commands.openCallResult, { callId })),
      );
      link.tooltip = l10n.t('Open Result');
      return link;
    });
  }

  dispose(): void {
    this.#registrations.dispose();
  }
}

function reportOf(run: FinishedRun): ReportText {
  const { calls, states, startedAt, fileName } = run;
  const passed = passedCount(run);
  const above = [
    l10n.t('Run of “{0}”, {1}', quoted(fileName), formatTime(startedAt)),
    passed === calls.length
      ? l10n.t('All calls in the file passed: {0}.', calls.length)
      : l10n.t('{0} of {1} calls passed.', passed, calls.length),
    '',
  ];
  const columns = [
    { heading: l10n.t('Call'), maxCells: maxNameCells },
    { heading: l10n.t('Tool'), maxCells: maxNameCells },
    { heading: l10n.t('Server'), maxCells: 20 },
    { heading: l10n.t('Duration'), maxCells: 10, align: 'right' as const },
  ];
  const { heading, lines } = formatColumns(
    [...columns, { heading: l10n.t('Outcome'), maxCells: maxMessageChars }],
    calls.map((call, index) => ({ cells: cellsOf(call, states[index]) })),
  );
  const places = states.flatMap((state, index) => {
    const call = calls[index];
    if (call === undefined || state === undefined || !('callId' in state)) return [];
    const { callId } = state;
    const line = above.length + 1 + index;
    const end = lines[index]?.indexOf('  ') ?? 0;
    return callId === undefined ? [] : [{ line, end, callId }];
  });
  return { text: [...above, heading, ...lines, ''].join('\n'), places };
}

function cellsOf(call: FileCall, state: RunState | undefined): string[] {
  const took = state !== undefined && 'durationMs' in state ? formatDuration(state.durationMs) : '';
  const name = `${signOf(state)} ${quotedCallName(call)}`;
  return [name, quoted(call.target.name), quoted(call.server), took, outcomeOf(state)];
}

function signOf(state: RunState | undefined): string {
  switch (state?.kind) {
    case undefined:
      return '-';
    case 'passed':
      return '✓';
    case 'running':
      return '…';
    case 'skipped':
      return '⊘';
    case 'unmet':
    case 'failed':
    case 'unsent':
      return '✗';
    default:
      return assertNever(state);
  }
}

function outcomeOf(state: RunState | undefined): string {
  switch (state?.kind) {
    case undefined:
      return l10n.t('not run');
    case 'passed':
      return l10n.t('passed');
    case 'unmet': {
      const [first] = state.failures;
      return visibleText(first === undefined ? '' : failureSentence(first), maxMessageChars);
    }
    case 'running':
      return l10n.t('running');
    case 'skipped':
    case 'failed':
    case 'unsent':
      return visibleText(state.message, maxMessageChars);
    default:
      return assertNever(state);
  }
}
