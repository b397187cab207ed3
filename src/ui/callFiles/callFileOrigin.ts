import type * as vscode from 'vscode';
import type { CallOrigin } from '../../host/consent/facts/callOrigin';
import { isInFront, isWorkspaceFile } from '../editor/inFront';
import { holdsCalls } from './callFileDocuments';

/**
 * Returns `file` if the document is in the active editor and either belongs to the workspace or is
 * untitled, so that the user sees what runs; otherwise returns `command`.
 */
export async function callFileOrigin(document: vscode.TextDocument): Promise<CallOrigin> {
  const { uri } = document;
  const isOwn =
    holdsCalls(document) && isInFront(uri) && (document.isUntitled || (await isWorkspaceFile(uri)));
  return isOwn ? 'file' : 'command';
}
