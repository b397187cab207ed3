import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';
import { contentFields, type ContentField } from '../../core/arguments/contentFields';
import { FileRefusedError } from '../../core/bounds/regularFile';
import type { JsonObject } from '../../core/json/jsonValue';
import { maxTextChars, notifyTooLarge } from '../arguments/fieldOffers';
import { notify } from '../editor/messages';
import { readFileOf } from '../editor/readFileOf';
import { quoted } from '../format/sentences';

const maxFileBytes = 1_000_000;

/** Data of an editor or a file that is sent to a tool. */
export interface EditorContent {
  readonly uri: vscode.Uri;
  /** Selected text, or else the text of the editor. Absent for a file that is not in an editor. */
  readonly text?: string;
}

/** The selection of the editor, or else all of its text. */
export function readEditorContent({ document, selection }: vscode.TextEditor): EditorContent {
  const text = document.getText(selection.isEmpty ? undefined : selection);
  return { uri: document.uri, text };
}

/**
 * Returns the arguments that the material fills in. A file is read only for a tool that takes
 * nothing but text. Returns `undefined`, after telling the user, if the material is too large, not
 * text, or empty.
 */
export async function contentArguments(
  schema: JsonObject,
  { uri, text }: EditorContent,
): Promise<JsonObject | undefined> {
  const fields = contentFields(schema);
  const isTextOnly = fields.every(({ takes }) => takes === 'text');
  const content = text ?? (isTextOnly && fields.length > 0 ? await readText(uri) : '');
  if (content === undefined) return undefined;
  if (content.length > maxTextChars && fields.some(({ takes }) => takes === 'text')) {
    return notifyTooLarge();
  }
  const values = fields.flatMap((field): [string, string][] => {
    const value = valueOf(field, uri, content);
    return value === undefined || value === '' ? [] : [[field.name, value]];
  });
  if (values.length === 0) return notifyNothingFits(uri);
  return Object.fromEntries(values);
}

function valueOf({ takes }: ContentField, uri: vscode.Uri, content: string): string | undefined {
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
    if (error instanceof FileRefusedError && error.refusal === 'tooLarge') return notifyTooLarge();
    // The file is gone, is a folder or a device, is not readable, or is not text.
    return notifyNoText(uri);
  }
}

function notifyNoText(uri: vscode.Uri): undefined {
  notify('warning', l10n.t('“{0}” could not be read as text.', quoted(nameOf(uri))));
}

/** Reports an empty text, or a document that is not a file on disk. */
function notifyNothingFits(uri: vscode.Uri): undefined {
  const name = quoted(nameOf(uri));
  notify('warning', l10n.t('“{0}” has nothing that this tool accepts.', name));
}

function nameOf({ path }: vscode.Uri): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
