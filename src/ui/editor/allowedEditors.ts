import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { FilePart } from '../../core/content/contentParts';
import type { Viewer } from '../../core/content/documentNames';
import { answerEditor } from '../../ids';

const textEditor = 'default';

/** VS Code's own previews, which show a file and run nothing of it. */
const previews: Readonly<Record<Viewer, string>> = {
  image: 'imagePreview.previewEditor',
  audio: 'vscode.audioPreview',
  video: 'vscode.videoPreview',
};

/** The only editors that may show content from a server. */
export const allowedEditors: ReadonlySet<string> = new Set([
  textEditor,
  ...Object.values(previews),
  // Toolgate's own editor draws only what it is told to.
  answerEditor,
]);

/**
 * Opens server content in an editor of the list, chosen by the bytes of the content: never by its
 * name, and never by an association of the user, the workspace or another extension. Everything
 * else opens in the text editor, which reports content that it cannot show.
 *
 * @param viewer absent for text; `page` is the answer page, for overviews only
 */
export async function openInAllowedEditor(
  uri: vscode.Uri,
  viewer: Viewer | 'page' | undefined,
  options: vscode.TextDocumentShowOptions = {},
): Promise<void> {
  await vscode.commands.executeCommand('vscode.openWith', uri, editorFor(viewer), options);
}

/** Returns the same as a command, for the action of a notification. */
export function openingCommand(uri: vscode.Uri, viewer: Viewer | undefined): vscode.Command {
  const title = l10n.t('Open');
  return { title, command: 'vscode.openWith', arguments: [uri, editorFor(viewer)] };
}

/** Compares two texts, or two files of one preview, side by side. */
export async function compareInAllowedEditor(
  [left, right]: readonly [vscode.Uri, vscode.Uri],
  title: string,
  viewers: readonly (Viewer | undefined)[] = [],
): Promise<void> {
  const [viewer, ...others] = viewers;
  const isPreviewed = viewer !== undefined && others.every((other) => other === viewer);
  // Any value of `override` means the text editor. A preview is chosen by the name, which follows
  // from the bytes, and by the associations that the manifest declares for result documents.
  const options = { preview: false, ...(isPreviewed ? {} : { override: false }) };
  await vscode.commands.executeCommand('vscode.diff', left, right, title, options);
}

/** Returns the preview for this part, or `undefined` for text. */
export function viewerOfPart(part: FilePart | undefined): Viewer | undefined {
  return part?.excerpt === undefined ? part?.viewer : undefined;
}

function editorFor(viewer: Viewer | 'page' | undefined): string {
  if (viewer === 'page') return answerEditor;
  return viewer === undefined ? textEditor : previews[viewer];
}
