import * as vscode from 'vscode';
import { definitionScheme } from '../../../ids';
import { toFileName } from '../../editor/fileName';
import { compareInAllowedEditor } from '../../editor/allowedEditors';
import { openUris } from '../../editor/resultTabs';
import * as l10n from '@vscode/l10n';
import { visibleText } from '../../../core/visibleText';
import type { Tool } from '../../../core/types';
import type { ToolField } from '../../../host/consent/facts/callFacts';
import { sortedJson } from '../../../host/consent/facts/fingerprints';

/**
 * Tool definitions as read-only documents, alone or as a diff of before and after. Each shows the
 * definition at the time of opening, and is removed when its last tab is closed.
 */
export class ToolChangeDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #subscriptions: vscode.Disposable;
  #count = 0;

  constructor() {
    this.#subscriptions = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(definitionScheme, this),
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
        // A tab that moves to another group is closed in the first group.
        const open = new Set(openUris().map(String));
        const keys = closed.flatMap(definitionsOf).map(String);
        for (const key of keys) if (!open.has(key)) this.#texts.delete(key);
      }),
    );
    // Tabs that a reload of the window restored have lost their text.
    const stale = vscode.window.tabGroups.all
      .flatMap(({ tabs }) => tabs)
      .filter((tab) => definitionsOf(tab).length > 0);
    void vscode.window.tabGroups.close(stale);
  }

  async showDiff(toolName: string, title: string, before: string, after: string): Promise<void> {
    const [left, right] = [this.#add(toolName, before), this.#add(toolName, after)];
    await compareInAllowedEditor([left, right], title);
  }

  async show(toolName: string, text: string): Promise<void> {
    await vscode.window.showTextDocument(this.#add(toolName, text), { preview: false });
  }

  /** Returns `undefined` for other documents of this scheme, which have other providers. */
  provideTextDocumentContent(uri: vscode.Uri): string | undefined {
    return this.#texts.get(uri.toString());
  }

  dispose(): void {
    this.#subscriptions.dispose();
    this.#texts.clear();
  }

  #add(toolName: string, text: string): vscode.Uri {
    this.#count += 1;
    const path = `/${this.#count}/${toFileName(toolName)}.definition.txt`;
    const uri = vscode.Uri.from({ scheme: definitionScheme, path });
    this.#texts.set(uri.toString(), text);
    return uri;
  }
}

function definitionsOf({ input }: vscode.Tab): vscode.Uri[] {
  const uris =
    input instanceof vscode.TabInputTextDiff
      ? [input.original, input.modified]
      : input instanceof vscode.TabInputText
        ? [input.uri]
        : [];
  // A URI with an authority names its content, which is there again after a reload.
  return uris.filter(({ scheme, authority }) => scheme === definitionScheme && authority === '');
}

/** Maximum length of each part of a definition. A longer part is cut and marked. */
const maxPartChars = 200_000;

/**
 * Returns a definition as text that can be read and compared: hidden characters are shown as
 * escapes, schemas are indented JSON with sorted keys. `cut` names the fields that are known only
 * in part.
 */
export function definitionText(tool: Tool, cut: readonly ToolField[] = []): string {
  const { name, title, description, annotations, inputSchema, outputSchema } = tool;
  const part = (heading: string, field: ToolField, body: string): string =>
    [heading, body, ...(cut.includes(field) ? [tooLargeToKeep()] : [])].join('\n');
  return [
    [l10n.t('Name'), shownText(name)].join('\n'),
    part(l10n.t('Title'), 'title', textOrNone(title)),
    part(l10n.t('Description'), 'description', textOrNone(description)),
    part(l10n.t('Annotations'), 'annotations', jsonOrNone(annotations)),
    part(l10n.t('Input schema'), 'inputSchema', jsonOrNone(inputSchema)),
    part(l10n.t('Output schema'), 'outputSchema', jsonOrNone(outputSchema)),
    '',
  ].join('\n\n');
}

/** Like {@link definitionText}, for a skill that counts as a tool. */
export function skillText(skill: Tool, cut: readonly ToolField[] = []): string {
  const { name, title, description, inputSchema } = skill;
  const rest = cut.includes('inputSchema') ? tooLargeToKeep() : jsonOrNone(inputSchema);
  return [
    [l10n.t('URI'), shownText(name)].join('\n'),
    [l10n.t('Name'), textOrNone(title)].join('\n'),
    [l10n.t('Description'), textOrNone(description)].join('\n'),
    [l10n.t('Frontmatter and files'), rest].join('\n'),
    '',
  ].join('\n\n');
}

function textOrNone(text: string | undefined): string {
  return text === undefined ? l10n.t('(none)') : shownText(text);
}

function jsonOrNone(value: unknown): string {
  return value === undefined ? l10n.t('(none)') : shownText(jsonText(value));
}

function tooLargeToKeep(): string {
  return l10n.t('(The rest was too large to keep, but changes are still detected.)');
}

function jsonText(value: unknown): string {
  return sortedJson(value, 2) ?? l10n.t('(nested too deeply to show)');
}

/** Works line by line, so that ordinary lines are fast. A carriage return is shown. */
function shownText(text: string): string {
  const isCut = text.length > maxPartChars;
  const lines = (isCut ? text.slice(0, maxPartChars) : text)
    .split('\n')
    .map((line) => visibleText(line, maxPartChars, { newlines: 'keep' }));
  return [...lines, ...(isCut ? [l10n.t('(The rest is too long to show.)')] : [])].join('\n');
}
