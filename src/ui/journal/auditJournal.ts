import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { isObject } from '../../core/json/shapes';
import type { Journal } from '../../host/journal/journal';
import { commands, journalScheme } from '../../ids';
import { tell } from '../editor/messages';
import { quoted } from '../format/sentences';
import { JournalDocuments } from './journalDocuments';
import { noJournalFilter, type JournalFilter } from './journalFilter';
import { pickJournalFilter } from './journalFilterPicker';
import { verifySentence, verifyText } from './formatVerification';

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
      tell(report.isWhole ? 'information' : 'error', verifySentence(report));
      if (!report.isWhole) await this.#documents.openReport(verifyText(report, journal.folder));
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      tell('error', l10n.t('The audit journal cannot be read: “{0}”', quoted(detail)));
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
