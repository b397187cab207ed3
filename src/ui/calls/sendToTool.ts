import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { contentFields, type ContentField } from '../../core/arguments/contentFields';
import type { JsonObject } from '../../core/json/jsonValue';
import type { CallOrigin } from '../../host/consent/facts/callFacts';
import type { ServerRegistry } from '../../host/connections/registry';
import type { Server, ToolEntry } from '../../host/connections/snapshot';
import { commands } from '../../ids';
import { isWorkspaceFile } from '../editor/inFront';
import { addServerActions, notify } from '../editor/messages';
import type { ServerActions } from '../servers/serverActions';
import { quoted } from '../format/sentences';
import { pickTool } from '../picking/toolPicker';
import { pickableTools } from '../picking/pickableTools';
import { idleServers } from '../picking/toolPickerItems';
import { FileRefusedError } from '../../core/bounds/regularFile';
import { maxTextChars, notifyTooLarge } from '../arguments/fieldOffers';
import { readFileOf } from '../editor/readableDocument';

/** Dropped files, and the tool on whose row they were dropped. */
export interface DroppedFiles {
  readonly serverId: string;
  readonly toolName: string;
  readonly uris: readonly vscode.Uri[];
}

interface SendToToolOptions {
  readonly registry: Pick<ServerRegistry, 'servers'>;
  readonly actions: Pick<ServerActions, 'start' | 'startAll'>;
  readonly findTool: (serverId: string, toolName: string) => Promise<ToolEntry | undefined>;
  /** Continues as Call Tool… does, with these arguments filled in. */
  readonly call: (entry: ToolEntry, known: JsonObject, origin: CallOrigin) => Promise<void>;
}

/** Send to MCP Tool…: sends a selection, an editor or a file to a tool that accepts it. */
export class SendToTool {
  readonly #options: SendToToolOptions;

  constructor(options: SendToToolOptions) {
    this.#options = options;
  }

  register(): vscode.Disposable {
    return vscode.commands.registerCommand(commands.sendToTool, (uri: unknown, selected: unknown) =>
      this.#begin(uri, selected),
    );
  }

  /** Handles a file that was dropped onto the row of a tool. */
  async drop({ serverId, toolName, uris }: DroppedFiles): Promise<void> {
    const [uri] = uris;
    if (uri === undefined) return;
    if (uris.length > 1) {
      notifyOneFile();
      return;
    }
    const entry = await this.#options.findTool(serverId, toolName);
    if (entry === undefined) return;
    if (!takesMaterial(entry)) {
      const sentence = l10n.t('“{0}” accepts neither text nor a file.', quoted(toolName));
      notify('information', sentence);
      return;
    }
    await this.#send(entry, { uri }, 'palette');
  }

  /** The Explorer passes the selected files. Editor menus and the palette do not. */
  async #begin(uri: unknown, selected: unknown): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const isFile = uri instanceof vscode.Uri && Array.isArray(selected);
    if (isFile && selected.length > 1) {
      notifyOneFile();
      return;
    }
    const material = isFile ? { uri } : editor && readEditorContent(editor);
    if (material === undefined) {
      notify('information', l10n.t('Open a file, or select one in the Explorer, to send it.'));
      return;
    }
    const entry = await this.#pick();
    if (entry === undefined) return;
    // Any extension can run the command with any file. The Explorer passes only files of the
    // workspace.
    const isChosen = !isFile || (await isWorkspaceFile(uri));
    await this.#send(entry, material, isChosen ? 'palette' : 'command');
  }

  async #pick(): Promise<ToolEntry | undefined> {
    const { registry, actions } = this.#options;
    const fitting = (): readonly Server[] =>
      registry.servers.map((server) => ({ ...server, tools: server.tools.filter(takesMaterial) }));
    const servers = fitting();
    if (servers.length > 0 && idleServers(servers).length + pickableTools(servers).length === 0) {
      notifyNoFittingTool();
      return undefined;
    }
    return pickTool({
      registry: {
        // Evaluated again after a server was started from the picker.
        get servers() {
          return fitting();
        },
      },
      actions,
      title: l10n.t('Send to Tool'),
    });
  }

  async #send(entry: ToolEntry, material: EditorContent, origin: CallOrigin): Promise<void> {
    const known = await contentArguments(entry.tool.inputSchema, material);
    if (known !== undefined) await this.#options.call(entry, known, origin);
  }
}

function takesMaterial({ tool }: ToolEntry): boolean {
  return contentFields(tool.inputSchema).length > 0;
}

function notifyNoFittingTool(): void {
  notify(
    'information',
    l10n.t('No tool of the running servers accepts text or a file.'),
    ...addServerActions(),
  );
}

const maxFileBytes = 1_000_000;

/** Data of an editor or a file that is sent to a tool. */
interface EditorContent {
  readonly uri: vscode.Uri;
  /** Selected text, or else the text of the editor. Absent for a file that is not in an editor. */
  readonly text?: string;
}

/** The selection of the editor, or else all of its text. */
function readEditorContent({ document, selection }: vscode.TextEditor): EditorContent {
  const text = document.getText(selection.isEmpty ? undefined : selection);
  return { uri: document.uri, text };
}

/**
 * Returns the arguments that the material fills in. A file is read only for a tool that takes
 * nothing but text. Returns `undefined`, after telling the user, if the material is too large, not
 * text, or empty.
 */
async function contentArguments(
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

function notifyOneFile(): void {
  notify('warning', l10n.t('A tool accepts one file at a time.'));
}
