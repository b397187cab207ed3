import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { comparableText, comparableTexts, hasPlainText } from '../../core/content/comparableResult';
import { documentExtension, documentName } from '../../core/content/documentNames';
import { withValue } from '../../core/content/structuredAgreement';
import type { History } from '../../host/history/history';
import type { PastCall } from '../../host/history/pastCall';
import { commands, comparisonScheme } from '../../ids';
import { toFileName } from '../editor/fileName';
import { withDelayedProgress } from '../editor/delayedProgress';
import { notify } from '../editor/messages';
import { compareInAllowedEditor } from '../editor/allowedEditors';
import { quoted } from '../format/sentences';
import { formatTime } from '../format/formatTime';
import { olderFirst } from '../../host/storage/recordFile';

interface ComparisonsOptions {
  readonly history: Pick<History, 'knownCalls' | 'find' | 'read' | 'answerOf'>;
  /** Fields that are ignored in comparisons without volatile fields. */
  readonly volatileFields: () => readonly string[];
  /** Defaults to the scheme of comparisons. */
  readonly scheme?: string;
}

/** Compares everything, or all but volatile fields; the first segment of the path. */
type Extent = 'all' | 'lasting';

/**
 * Compares results as text or JSON in VS Code's diff editor. The URI of a document describes its
 * whole content, so a diff that is left open is restored after a reload.
 */
export class Comparisons implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #options: ComparisonsOptions;
  readonly #scheme: string;
  readonly #registration: vscode.Disposable;

  constructor(options: ComparisonsOptions) {
    this.#options = options;
    this.#scheme = options.scheme ?? comparisonScheme;
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(this.#scheme, this);
  }

  /** Registers the commands in the editor title of a comparison. */
  register(): vscode.Disposable {
    const on = (command: string, extent: Extent) =>
      vscode.commands.registerCommand(command, () => this.#show(extent));
    return vscode.Disposable.from(
      on(commands.ignoreVolatileFields, 'lasting'),
      on(commands.showVolatileFields, 'all'),
    );
  }

  /**
   * Opens the diff with the older result on the left; tells the user if the results are the same.
   */
  async open(one: PastCall, other: PastCall): Promise<void> {
    const calls = this.#options.history.knownCalls.toReversed();
    const [left, right] = olderFirst(calls, ({ endedAt }) => endedAt, one, other);
    const { history, volatileFields } = this.#options;
    // A result that cannot be read is reported by its document.
    const read = async (call: PastCall) => withValue(await history.answerOf(call));
    const results = await Promise.all([left, right].map(read)).catch(() => []);
    const extension = results.some(hasPlainText) ? 'txt' : 'json';
    const uriOf = (call: PastCall) => this.#uri('all', call, extension);
    await openDiff(uriOf(left), uriOf(right), titleOf(left, right));
    const isSame = (fields: readonly string[]) =>
      new Set(results.map((result) => comparableText(result, fields))).size === 1;
    if (isSame([])) notify('information', l10n.t('The two results are identical.'));
    else if (isSame(volatileFields())) {
      notify('information', l10n.t('The two results differ only in volatile fields.'), {
        title: l10n.t('Ignore Volatile Fields'),
        command: commands.ignoreVolatileFields,
      });
    }
  }

  async provideTextDocumentContent({ path }: vscode.Uri): Promise<string> {
    const [, extent, callId = ''] = path.split('/');
    await this.#options.history.read();
    const call = this.#options.history.find(callId);
    if (call === undefined) return l10n.t('This call is no longer in the history.');
    try {
      const title = l10n.t('Reading the result of “{0}”', quoted(call.toolTitle));
      const isText = path.endsWith(documentExtension('text'));
      const read = () => this.#text(extent === 'lasting' ? 'lasting' : 'all', call, isText);
      return await withDelayedProgress(title, read, false);
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      return l10n.t('The result of this call cannot be read: “{0}”', quoted(detail));
    }
  }

  dispose(): void {
    this.#registration.dispose();
  }

  async #text(extent: Extent, call: PastCall, isText: boolean): Promise<string> {
    const { history, volatileFields } = this.#options;
    const result = await withValue(await history.answerOf(call));
    const write = isText ? comparableTexts : comparableText;
    return write(result, extent === 'lasting' ? volatileFields() : []);
  }

  /** Replaces the active comparison by one with another extent. */
  async #show(extent: Extent): Promise<void> {
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    if (!(tab?.input instanceof vscode.TabInputTextDiff)) return;
    const { original, modified } = tab.input;
    if (original.scheme !== this.#scheme || modified.scheme !== this.#scheme) return;
    const moved = (uri: vscode.Uri) =>
      uri.with({ path: ['', extent, ...uri.path.split('/').slice(2)].join('/') });
    const title =
      extent === 'lasting'
        ? l10n.t('{0} without volatile fields', tab.label)
        : this.#titleOf(original, modified);
    await openDiff(moved(original), moved(modified), title);
    // Tabs are looked up again, because older versions of VS Code recreate the tab object when
    // another tab opens beside it.
    const left = vscode.window.tabGroups.all
      .flatMap(({ tabs }) => tabs)
      .filter(({ input }) => isDiffOf(input, original, modified));
    await vscode.window.tabGroups.close(left);
  }

  #titleOf(...[left, right]: readonly [vscode.Uri, vscode.Uri]): string {
    const find = ({ path }: vscode.Uri) => this.#options.history.find(path.split('/')[2] ?? '');
    const [one, other] = [find(left), find(right)];
    return one === undefined || other === undefined ? left.path : titleOf(one, other);
  }

  #uri(extent: Extent, { callId, tool }: PastCall, extension: 'json' | 'txt'): vscode.Uri {
    const name = documentName(toFileName(tool), 'tool', { kind: 'text', extension });
    const path = `/${extent}/${callId}/${name}`;
    return vscode.Uri.from({ scheme: this.#scheme, path });
  }
}

function isDiffOf(input: unknown, original: vscode.Uri, modified: vscode.Uri): boolean {
  return (
    input instanceof vscode.TabInputTextDiff &&
    input.original.toString() === original.toString() &&
    input.modified.toString() === modified.toString()
  );
}

function titleOf(left: PastCall, right: PastCall): string {
  return l10n.t('{0} ↔ {1}', nameOf(left), nameOf(right));
}

function nameOf({ toolTitle, endedAt }: PastCall): string {
  return l10n.t('{0} ({1})', quoted(toolTitle), formatTime(endedAt));
}

async function openDiff(left: vscode.Uri, right: vscode.Uri, title: string): Promise<void> {
  await compareInAllowedEditor([left, right], title);
}
