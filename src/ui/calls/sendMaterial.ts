import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';
import { materialFields, type MaterialField } from '../../core/arguments/materialFields';
import { FileRefusedError } from '../../core/bounds/regularFile';
import type { JsonObject } from '../../core/json/jsonValue';
import { maxTextChars, tellTooLarge } from '../arguments/fieldOffers';
import { tell } from '../editor/messages';
import { readFileOf } from '../editor/readFileOf';
import { quoted } from '../format/sentences';

const maxFileBytes = 1_000_000;

/** What an editor or a file gives to a tool. */
export interface Material {
  readonly uri: vscode.Uri;
  /** Selected text, else the text of the editor; absent for a file that is not in an editor. */
  readonly text?: string;
}

/** What is selected in the editor, else all of its text. */
export function editorMaterial({ document, selection }: vscode.TextEditor): Material {
  const text = document.getText(selection.isEmpty ? undefined : selection);
  return { uri: document.uri, text };
}

/**
 * The arguments that the material fills in. A file is read only for a tool that takes nothing but
 * text. `undefined` where it cannot be sent, which has been said: too large, no text, or empty.
 */
export async function materialArguments(
  schema: JsonObject,
  { uri, text }: Material,
): Promise<JsonObject | undefined> {
  const fields = materialFields(schema);
  const isTextOnly = fields.every(({ takes }) => takes === 'text');
  const content = text ?? (isTextOnly && fields.length > 0 ? await readText(uri) : '');
  if (content === undefined) return undefined;
  if (content.length > maxTextChars && fields.some(({ takes }) => takes === 'text')) {
    return tellTooLarge();
  }
  const values = fields.flatMap((field): [string, string][] => {
    const value = valueOf(field, uri, content);
    return value === undefined || value === '' ? [] : [[field.name, value]];
  });
  if (values.length === 0) return tellNothingFits(uri);
  return Object.fromEntries(values);
}

function valueOf({ takes }: MaterialField, uri: vscode.Uri, content: string): string | undefined {
  if (takes === 'text') return content;
  // Only files of the disk are something that a server could read.
  if (uri.scheme !== 'file') return undefined;
  return takes === 'path' ? uri.fsPath : uri.toString();
}

async function readText(uri: vscode.Uri): Promise<string | undefined> {
  try {
    const bytes = await readFileOf(uri, maxFileBytes);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof FileRefusedError && error.refusal === 'tooLarge') return tellTooLarge();
    // It is gone, a folder or a device, must not be read, or is no text.
    return tellNoText(uri);
  }
}

function tellNoText(uri: vscode.Uri): undefined {
  tell('warning', l10n.t('“{0}” could not be read as text.', quoted(nameOf(uri))));
}

/** An empty text, or a document that is no file of the disk. */
function tellNothingFits(uri: vscode.Uri): undefined {
  const name = quoted(nameOf(uri));
  tell('warning', l10n.t('“{0}” has nothing that this tool accepts.', name));
}

function nameOf({ path }: vscode.Uri): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
