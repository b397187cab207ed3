import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { isObject } from '../../core/json/shapes';
import type { Journal } from '../../host/journal/journal';
import { commands, journalScheme } from '../../ids';
import { notify } from '../editor/messages';
import { quoted } from '../format/sentences';
import { JournalDocuments } from './journalDocuments';
import {
  noJournalFilter,
  type JournalFilter,
  decisionKinds,
  filterLists,
  outcomeKinds,
  sinceKinds,
  type JournalChoices,
} from './journalFilter';
import type { JournalBreak, VerifyReport } from '../../host/journal/verify';
import { escapeIcons } from '../../core/visibleText';
import { answerOf, createPicker } from '../editor/picker';
import {
  formatAnyOrigin,
  formatDecisionKind,
  formatOutcomeKind,
  formatSince,
} from './formatJournalRow';

interface AuditJournalOptions {
  readonly journal: Pick<Journal, 'rows' | 'textAt' | 'verify' | 'folder' | 'onDidChange'>;
  /** Defaults to the scheme of the journal. */
  readonly scheme?: string;
  /** Defaults to a quick pick. */
  readonly pickFilter?: typeof pickJournalFilter;
}

/** Show, Filter and Verify Audit Journal. */
export class AuditJournal implements vscode.Disposable {
  readonly #options: AuditJournalOptions;
  readonly #documents: JournalDocuments;

  constructor(options: AuditJournalOptions) {
    const { journal, scheme = journalScheme } = options;
    this.#options = options;
    this.#documents = new JournalDocuments({ journal, scheme });
  }

  get uri(): vscode.Uri {
    return this.#documents.uri;
  }

  register(): vscode.Disposable {
    return vscode.Disposable.from(
      vscode.commands.registerCommand(commands.showJournal, (argument: unknown) =>
        isSet(argument, 'more') ? this.showMore() : this.show(),
      ),
      vscode.commands.registerCommand(commands.filterJournal, (argument: unknown) =>
        isSet(argument, 'clearFilter') ? this.#documents.setFilter(noJournalFilter) : this.filter(),
      ),
      vscode.commands.registerCommand(commands.verifyJournal, () => this.verify()),
    );
  }

  async show(): Promise<void> {
    await this.#documents.open();
  }

  /** Doubles the number of rows. */
  showMore(): void {
    this.#documents.showMore();
  }

  async filter(): Promise<void> {
    await this.#documents.open();
    const pickFilter = this.#options.pickFilter ?? pickJournalFilter;
    const { choices } = await this.#documents.view();
    const chosen: JournalFilter | undefined = await pickFilter(this.#documents.filter, choices);
    if (chosen !== undefined) await this.#documents.setFilter(chosen);
  }

  /** Shows the result, and if something is wrong, also a document with every position. */
  async verify(): Promise<void> {
    const { journal } = this.#options;
    try {
      const report = await vscode.window.withProgress(
        {
          location: vscode.ProgressLocation.Notification,
          title: l10n.t('Verifying the audit journal'),
          cancellable: true,
        },
        async (progress, token) => {
          let told = 0;
          const found = await journal.verify({
            onProgress: (share) => {
              progress.report({ increment: (share - told) * 100 });
              told = share;
            },
            isCancelled: () => token.isCancellationRequested,
          });
          return token.isCancellationRequested ? undefined : found;
        },
      );
      if (report === undefined) return;
      notify(report.isWhole ? 'information' : 'error', verifySentence(report));
      if (!report.isWhole) await this.#documents.openReport(verifyText(report, journal.folder));
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      notify('error', l10n.t('The audit journal cannot be read: “{0}”', quoted(detail)));
    }
  }

  dispose(): void {
    this.#documents.dispose();
  }
}

/** Code lenses pass this to a command that the palette runs without arguments. */
function isSet(argument: unknown, key: string): boolean {
  return isObject(argument) && argument[key] === true;
}

/** Returns the result of Verify in one or two sentences. */
function verifySentence(report: VerifyReport): string {
  if (report.segments === 0 && report.isWhole) {
    return l10n.t('The audit journal is empty: there is nothing to verify.');
  }
  if (!report.isWhole) {
    return report.breakCount === 1
      ? l10n.t('The audit journal has been changed in 1 place.')
      : l10n.t('The audit journal has been changed in {0} places.', report.breakCount);
  }
  const whole =
    report.segments === 1
      ? l10n.t('The audit journal is intact. Unchanged lines: {0}.', report.lines)
      : l10n.t(
          'The audit journal is intact. Unchanged lines: {0}, files: {1}.',
          report.lines,
          report.segments,
        );
  return report.torn.length === 0 ? whole : `${whole} ${tornSentence(report)}`;
}

/** Returns the result of Verify with every position, as text of a document. */
function verifyText(report: VerifyReport, folder: string): string {
  const more = report.breakCount - report.breaks.length;
  return [
    verifySentence(report),
    '',
    l10n.t('Folder: {0}', folder),
    l10n.t('Unchanged lines: {0}', report.lines),
    ...(report.removedByRetention === 0
      ? []
      : [l10n.t('Files removed as configured: {0}', report.removedByRetention)]),
    ...(report.isWhole || report.torn.length === 0 ? [] : [tornSentence(report)]),
    '',
    ...report.breaks.map((found) => `✗ ${formatBreak(found)}`),
    ...(more > 0 ? [l10n.t('… and {0} more.', more)] : []),
    '',
  ].join('\n');
}

function tornSentence({ torn }: VerifyReport): string {
  return torn.length === 1
    ? l10n.t('The last line is unfinished: its window is still writing it, or was closed.')
    : l10n.t(
        '{0} last lines are unfinished: their windows are still writing them, or were closed.',
        torn.length,
      );
}

function formatBreak({ kind, segment, line }: JournalBreak): string {
  const place = line === undefined ? segment : l10n.t('{0}, line {1}', segment, line);
  return {
    changed: l10n.t('{0}: changed after it was written.', place),
    removed: l10n.t('{0}: removed, perhaps with lines after it.', place),
    cut: l10n.t('{0}: cut off, with everything after it.', place),
    missing: l10n.t('{0}: the file is missing, although no setting removed it.', place),
    unnamed: l10n.t('{0}: added later; a newer file does not list it.', place),
    copied: l10n.t('{0}: written under another name, so it is a copy.', place),
    unreadable: l10n.t('{0}: the file cannot be read.', place),
  }[kind];
}

interface FilterItem extends vscode.QuickPickItem {
  /** A filter with only this condition. Absent for headings. */
  readonly part?: Partial<JournalFilter>;
}

/**
 * Asks for the filter; several conditions can be checked. Resolves with `undefined` if nothing
 * changes.
 */
async function pickJournalFilter(
  before: JournalFilter,
  choices: JournalChoices,
): Promise<JournalFilter | undefined> {
  const items = filterItems(before, choices);
  const pick = createPicker<FilterItem>({
    title: l10n.t('Filter Audit Journal'),
    placeholder: l10n.t('Check nothing to show everything'),
    canSelectMany: true,
    items,
    selectedItems: items.filter(({ part }) => part !== undefined && isIn(part, before)),
    buttons: [{ iconPath: new vscode.ThemeIcon('clear-all'), tooltip: l10n.t('Clear Filter') }],
  });
  let since = before.since;
  pick.onDidChangeSelection((selected) => {
    // Only one start time makes sense, so the last checked one is used.
    const all = selected.flatMap(({ part }) => part?.since ?? []);
    const newest = all.find((each) => each !== since);
    if (all.length > 1) {
      pick.selectedItems = selected.filter(
        ({ part }) => part?.since === undefined || part.since === newest,
      );
    }
    since = all.length > 1 ? newest : all[0];
  });
  return answerOf(pick, {
    accept: () => filterOf(pick.selectedItems),
    button: () => void (pick.selectedItems = []),
  });
}

function filterItems(before: JournalFilter, choices: JournalChoices): FilterItem[] {
  return [
    heading(l10n.t('Decision')),
    ...decisionKinds.map((each) => ({
      label: formatDecisionKind(each),
      part: { decisions: [each] },
    })),
    heading(l10n.t('Outcome')),
    ...outcomeKinds.map((each) => ({
      label: formatOutcomeKind(each),
      part: { outcomes: [each] },
    })),
    heading(l10n.t('Since')),
    ...sinceKinds.map((each) => ({ label: formatSince(each), part: { since: each } })),
    heading(l10n.t('Server')),
    ...union(before.servers, choices.servers).map((each) => ({
      label: escapeIcons(quoted(each)),
      part: { servers: [each] },
    })),
    heading(l10n.t('Tool')),
    ...union(before.tools, choices.tools).map((each) => ({
      label: escapeIcons(quoted(each)),
      part: { tools: [each] },
    })),
    heading(l10n.t('Origin')),
    ...union(before.origins, choices.origins).map((each) => ({
      label: formatAnyOrigin(each),
      part: { origins: [each] },
    })),
  ];
}

function heading(label: string): FilterItem {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

/** Values of the current filter are listed even if no entry has them. */
function union(filtered: readonly string[], known: readonly string[]): readonly string[] {
  return [...new Set([...filtered, ...known])];
}

function isIn(part: Partial<JournalFilter>, filter: JournalFilter): boolean {
  if (part.since !== undefined && part.since !== filter.since) return false;
  return filterLists.every((key) => {
    const all: readonly string[] = filter[key];
    return part[key]?.every((each) => all.includes(each)) ?? true;
  });
}

function filterOf(selected: readonly FilterItem[]): JournalFilter {
  const parts = selected.flatMap(({ part }) => part ?? []);
  const since = parts.find((part) => part.since !== undefined)?.since;
  return {
    ...noJournalFilter,
    servers: parts.flatMap(({ servers }) => servers ?? []),
    tools: parts.flatMap(({ tools }) => tools ?? []),
    decisions: parts.flatMap(({ decisions }) => decisions ?? []),
    outcomes: parts.flatMap(({ outcomes }) => outcomes ?? []),
    origins: parts.flatMap(({ origins }) => origins ?? []),
    ...(since === undefined ? {} : { since }),
  };
}
