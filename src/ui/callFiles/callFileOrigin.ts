import type * as vscode from 'vscode';
import type { CallOrigin } from '../../host/consent/facts/callOrigin';
import { isInFront, isWorkspaceFile } from '../editor/inFront';
import { holdsCalls } from './callFileDocuments';

/**
 * Whose wish it is to run it: that of the person who has it in front, as a file of the workspace or as
 * one that is not saved yet; else that of whoever ran the command.
 */
export async function originOf(document: vscode.TextDocument): Promise<CallOrigin> {
  const { uri } = document;
  const isOwn =
    holdsCalls(document) && isInFront(uri) && (document.isUntitled || (await isWorkspaceFile(uri)));
  return isOwn ? 'file' : 'command';
}
