import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { isObject } from '../../core/json/shapes';
import type { Journal } from '../../host/journal/journal';
import { commands, journalScheme } from '../../ids';
import { notify } from '../editor/messages';
import { quoted } from '../format/sentences';
import { JournalDocuments } from './journalDocuments';
import { noJournalFilter, type JournalFilter } from './journalFilter';
import { pickJournalFilter } from './journalFilterPicker';
import { assertNever } from '../../core/errors';
import type { JournalBreak, VerifyReport } from '../../host/journal/verify';

export interface AuditJournalOptions {
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
  switch (kind) {
    case 'changed':
      return l10n.t('{0}: changed after it was written.', place);
    case 'removed':
      return l10n.t('{0}: removed, perhaps with lines after it.', place);
    case 'cut':
      return l10n.t('{0}: cut off, with everything after it.', place);
    case 'missing':
      return l10n.t('{0}: the file is missing, although no setting removed it.', place);
    case 'unnamed':
      return l10n.t('{0}: added later; a newer file does not list it.', place);
    case 'copied':
      return l10n.t('{0}: written under another name, so it is a copy.', place);
    case 'unreadable':
      return l10n.t('{0}: the file cannot be read.', place);
    default:
      return assertNever(kind);
  }
}
