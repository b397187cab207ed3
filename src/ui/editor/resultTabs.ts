import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { FilePart } from '../../core/content/contentParts';
import { answerEditor, argumentsScheme, callFileExtension } from '../../ids';
import { notify } from './messages';
import { quoted } from '../format/sentences';
import { openInAllowedEditor, viewerOfPart } from './allowedEditors';
import { isInputOpen } from './picker';

/**
 * Returns true if a tab of any kind (text, image, audio, comparison) shows a file in this folder.
 */
export function isFolderOpen(scheme: string, folder: string): boolean {
  return openUris().some((uri) => uri.scheme === scheme && uri.path.startsWith(`${folder}/`));
}

/** The URI that the active tab shows, including images and audio. */
export function activeUri(): vscode.Uri | undefined {
  const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
  return tab && urisOf(tab)[0];
}

/** Returns true if the page of this overview is in the active tab. */
export function isPageInFront(overview: vscode.Uri): boolean {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  return (
    input instanceof vscode.TabInputCustom &&
    input.viewType === answerEditor &&
    input.uri.toString() === overview.toString()
  );
}

/**
 * Keeps the preview tab that shows this document, like VS Code when a link in it is followed, so
 * that the next preview does not replace it.
 */
export async function keepTab(uri: vscode.Uri): Promise<void> {
  const { activeTab } = vscode.window.tabGroups.activeTabGroup;
  const isShown = activeUri()?.toString() === uri.toString();
  if (isShown && activeTab?.isPreview === true)
    await vscode.commands.executeCommand('workbench.action.keepEditor');
}

/** The column for a result: beside the editor of its call, else the active column. */
export function resultColumn(): vscode.ViewColumn {
  const uri = activeUri();
  const isWritten =
    uri?.scheme === argumentsScheme || uri?.path.endsWith(callFileExtension) === true;
  return isWritten ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active;
}

/** The folders of results and resources whose files these tabs showed. */
export function foldersOf(tabs: readonly vscode.Tab[], scheme: string): readonly string[] {
  const uris = tabs.flatMap(urisOf).filter((uri) => uri.scheme === scheme);
  return uris.map(({ path }) => path.split('/').slice(0, 4).join('/'));
}

/**
 * Opens a document of a result in the editor that fits it, behind an open picker of ours. `part` is
 * absent for an overview as text.
 */
export async function openInTab(
  uri: vscode.Uri,
  part: FilePart | 'page' | undefined,
  viewColumn = vscode.ViewColumn.Active,
): Promise<void> {
  const options = { preview: true, viewColumn, preserveFocus: isInputOpen() };
  try {
    await openInAllowedEditor(uri, part === 'page' ? part : viewerOfPart(part), options);
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    const name = quoted(uri.path.split('/').at(-1));
    notify('error', l10n.t('“{0}” could not be opened: “{1}”', name, quoted(detail)));
  }
}

/** URIs that tabs of any kind show, including both sides of a comparison. */
export function openUris(): vscode.Uri[] {
  return vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.flatMap(urisOf));
}

function urisOf({ input }: vscode.Tab): vscode.Uri[] {
  if (input instanceof vscode.TabInputText || input instanceof vscode.TabInputCustom) {
    return [input.uri];
  }
  if (input instanceof vscode.TabInputNotebook) return [input.uri];
  return input instanceof vscode.TabInputTextDiff ? [input.original, input.modified] : [];
}
