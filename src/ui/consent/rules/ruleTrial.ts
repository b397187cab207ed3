import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { DecidedCallFacts } from '../../../host/consent/facts/callFacts';
import type { RuleBook } from '../../../host/consent/rules/ruleBook';
import { rulesScheme, commands } from '../../../ids';
import { readRuleSources } from '../../settings/ruleSettings';
import { notify } from '../../editor/messages';
import { quoted } from '../../format/sentences';
import { readRules, withWritten } from './ruleDocuments';
import { ruleTrialText } from './ruleTrialText';
import { openUserSettings } from './userRules';

export interface RuleTrialOptions {
  readonly pastCalls: () => Promise<readonly DecidedCallFacts[]>;
  readonly book: Pick<RuleBook, 'tryOn'>;
}

/**
 * Tries the edited rules on past calls: shows what would change, and which calls match each rule.
 */
export class RuleTrial implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #options: RuleTrialOptions;
  readonly #registration: vscode.Disposable;
  readonly #texts = new Map<string, string>();

  readonly #onDidChange = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#onDidChange.event;

  constructor(options: RuleTrialOptions) {
    this.#options = options;
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(rulesScheme, this);
  }

  /**
   * Uses the unsaved text of the settings document with this URI or of the active one, otherwise
   * the saved rules.
   */
  async run(uri: unknown): Promise<void> {
    const saved = readRuleSources();
    const document = findDocument(uri);
    const written = document && readRules(document);
    const sources = written === undefined ? saved : withWritten(saved, written);
    const subject =
      document === undefined || written === undefined || !document.isDirty
        ? l10n.t('The saved rules')
        : l10n.t('The rules in “{0}”, not saved yet', quoted(document.uri.path.split('/').at(-1)));
    const calls = await this.#pastCalls();
    if (calls === undefined) return;
    const replayed = await this.#options.book.tryOn(calls, sources);
    const title = l10n.t('Rules on past calls');
    const shown = vscode.Uri.from({ scheme: rulesScheme, path: `/${title}.txt` });
    this.#texts.set(shown.path, ruleTrialText(replayed, calls.length, subject));
    this.#onDidChange.fire(shown);
    await vscode.window.showTextDocument(shown, { preview: true });
  }

  provideTextDocumentContent({ path }: vscode.Uri): string {
    return this.#texts.get(path) ?? '';
  }

  /** Returns `undefined` after a message if they cannot be read. */
  async #pastCalls(): Promise<readonly DecidedCallFacts[] | undefined> {
    try {
      return await this.#options.pastCalls();
    } catch (error) {
      const reason = quoted(error instanceof Error ? error.message : String(error));
      notify('error', l10n.t('The audit journal cannot be read. Details: “{0}”', reason));
      return undefined;
    }
  }

  dispose(): void {
    this.#registration.dispose();
    this.#onDidChange.dispose();
  }
}

function findDocument(uri: unknown): vscode.TextDocument | undefined {
  if (uri === undefined) return vscode.window.activeTextEditor?.document;
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri);
}

/**
 * Opens the settings at the rules. If there are none, VS Code inserts an unsaved empty list and
 * completes rules in it. Nothing is added to existing rules.
 */
export async function openRules(): Promise<void> {
  const { user } = readRuleSources();
  await openUserSettings({ edit: user === undefined || isEmptyList(user) });
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** A lens above the setting tries the rules. */
export function rulesLenses(document: vscode.TextDocument): vscode.CodeLens[] {
  const range = readRules(document)?.keyRange;
  if (range === undefined) return [];
  const title = l10n.t('Try on past calls');
  const command = { title, command: commands.tryRules, arguments: [document.uri.toString()] };
  return [new vscode.CodeLens(range, command)];
}
