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

/** Data of an editor or a file that is sent to a tool. */
export interface Material {
  readonly uri: vscode.Uri;
  /** Selected text, or else the text of the editor. Absent for a file that is not in an editor. */
  readonly text?: string;
}

/** The selection of the editor, or else all of its text. */
export function editorMaterial({ document, selection }: vscode.TextEditor): Material {
  const text = document.getText(selection.isEmpty ? undefined : selection);
  return { uri: document.uri, text };
}

/**
 * Returns the arguments that the material fills in. A file is read only for a tool that takes
 * nothing but text. Returns `undefined`, after telling the user, if the material is too large, not
 * text, or empty.
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
  // Servers can read only files on disk.
  if (uri.scheme !== 'file') return undefined;
  return takes === 'path' ? uri.fsPath : uri.toString();
}

async function readText(uri: vscode.Uri): Promise<string | undefined> {
  try {
    const bytes = await readFileOf(uri, maxFileBytes);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof FileRefusedError && error.refusal === 'tooLarge') return tellTooLarge();
    // The file is gone, is a folder or a device, is not readable, or is not text.
    return tellNoText(uri);
  }
}

function tellNoText(uri: vscode.Uri): undefined {
  tell('warning', l10n.t('“{0}” could not be read as text.', quoted(nameOf(uri))));
}

/** Reports an empty text, or a document that is not a file on disk. */
function tellNothingFits(uri: vscode.Uri): undefined {
  const name = quoted(nameOf(uri));
  tell('warning', l10n.t('“{0}” has nothing that this tool accepts.', name));
}

function nameOf({ path }: vscode.Uri): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
