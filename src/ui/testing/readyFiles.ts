import * as vscode from 'vscode';
import type { CallFile, FileCall } from '../../core/callFiles/callFile';
import type { CallOrigin } from '../../host/consent/facts/callOrigin';
import { rangeOf, readDocument } from '../callFiles/callFileDocuments';
import { originOf } from '../callFiles/callFileOrigin';
import { problemSentence } from '../callFiles/formatCallFileProblem';
import type { FileTests } from './testItems';
import { wordsMessage } from './testMessages';

/** A file whose calls can be run. */
export interface ReadyFile {
  readonly document: vscode.TextDocument;
  readonly file: CallFile;
  /** Those that are to be run, in the order of the file. */
  readonly calls: readonly FileCall[];
  readonly items: FileTests['items'];
  readonly origin: CallOrigin;
}

/** The files of a run as they are now; the tests of one that cannot be run say why. */
export async function readyFiles(
  tests: readonly FileTests[],
  run: Pick<vscode.TestRun, 'errored'>,
): Promise<readonly ReadyFile[]> {
  const ready: ReadyFile[] = [];
  for (const { uri, items } of tests) {
    const document = await openDocument(uri);
    const { file, problems = [] } = document === undefined ? {} : readDocument(document);
    if (document === undefined || file === undefined) {
      const [first] = problems;
      const place =
        document === undefined || first === undefined
          ? new vscode.Range(0, 0, 0, 0)
          : rangeOf(document, first);
      const why = first === undefined ? unreadable() : problemSentence(first);
      const words = vscode.l10n.t('Nothing was sent. {0}', why);
      const message = wordsMessage(new vscode.Location(uri, place.start), words);
      for (const [, item] of items) run.errored(item, message);
      continue;
    }
    const calls = file.calls.filter(({ name }) => items.has(name));
    ready.push({ document, file, calls, items, origin: await originOf(document) });
  }
  return ready;
}

async function openDocument(uri: vscode.Uri): Promise<vscode.TextDocument | undefined> {
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch {
    // It is gone, or larger than VS Code hands to extensions.
    return undefined;
  }
}

function unreadable(): string {
  return vscode.l10n.t('This file cannot be read.');
}
