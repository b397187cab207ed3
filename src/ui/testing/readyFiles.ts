import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { CallFile, FileCall } from '../../core/callFiles/callFile';
import { readDocument, callFileOrigin } from '../callFiles/callFileDocuments';
import { rangeOf } from '../editor/textPlaces';
import type { CallFileValues } from '../callFiles/callFileValues';
import type { FileRun } from '../callFiles/runAllQuestions';
import { problemSentence } from '../callFiles/formatCallFileProblem';
import { type FileTests, plainTestMessage } from './testItems';

/** A file whose calls can be run. */
export interface ReadyFile extends FileRun {
  /** The calls to run, in the order of the file. */
  readonly calls: readonly FileCall[];
  readonly items: FileTests['items'];
}

/**
 * Reads the files of a run, each once for every environment. If a file cannot be run, its tests
 * show why.
 */
export async function readyFiles(
  tests: readonly FileTests[],
  run: Pick<vscode.TestRun, 'errored'>,
  values: Pick<CallFileValues, 'newRun' | 'newSeparateRun'>,
  environments: readonly string[] = [],
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
      const sentence = l10n.t('Nothing was sent. {0}', why);
      const message = plainTestMessage(new vscode.Location(uri, place.start), sentence);
      for (const [, item] of items) run.errored(item, message);
      continue;
    }
    const calls = chosenCalls(file, items);
    const origin = await callFileOrigin(document);
    ready.push({ document, file, calls, items, origin, values: values.newRun() });
  }
  if (environments.length === 0) return ready;
  return environments.flatMap((environment) =>
    ready.map((each) => {
      // Each environment gets its own copies, because its values differ.
      const calls = each.calls.map((call) => ({ ...call }));
      return { ...each, calls, values: values.newSeparateRun(calls, environment) };
    }),
  );
}

/** Returns the call as it is written in the file. A replay makes it at another server. */
export function writtenCall({ calls }: CallFile, call: FileCall): FileCall {
  return calls.find(({ name }) => name === call.name) ?? call;
}

/** A single call is run with its setup and cleanup calls. */
function chosenCalls({ calls }: CallFile, items: FileTests['items']): readonly FileCall[] {
  const isChosen = ({ name }: FileCall): boolean => items.has(name);
  const isOnlyPhases = !calls.some((call) => call.phase === undefined && isChosen(call));
  return calls.filter((call) => isChosen(call) || (call.phase !== undefined && !isOnlyPhases));
}

async function openDocument(uri: vscode.Uri): Promise<vscode.TextDocument | undefined> {
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch {
    // The file no longer exists, or is larger than VS Code passes to extensions.
    return undefined;
  }
}

function unreadable(): string {
  return l10n.t('This file cannot be read.');
}
