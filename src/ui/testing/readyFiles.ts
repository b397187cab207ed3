import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { CallFile, FileCall } from '../../core/callFiles/callFile';
import type { CallOrigin } from '../../host/consent/facts/callOrigin';
import { rangeOf, readDocument } from '../callFiles/callFileDocuments';
import type { CallFileValues, RunValues } from '../callFiles/callFileValues';
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
  readonly values: RunValues;
}

/** The files of a run as they are now, each once for every environment; the tests of one that cannot be run say why. */
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
      const words = l10n.t('Nothing was sent. {0}', why);
      const message = wordsMessage(new vscode.Location(uri, place.start), words);
      for (const [, item] of items) run.errored(item, message);
      continue;
    }
    const calls = chosenCalls(file, items);
    const origin = await originOf(document);
    ready.push({ document, file, calls, items, origin, values: values.newRun() });
  }
  if (environments.length === 0) return ready;
  return environments.flatMap((environment) =>
    ready.map((each) => {
      // Each is asked about by itself: its values are others.
      const calls = each.calls.map((call) => ({ ...call }));
      return { ...each, calls, values: values.newSeparateRun(calls, environment) };
    }),
  );
}

/** The call as it stands in the file: a replay makes it at another server. */
export function writtenCall({ calls }: CallFile, call: FileCall): FileCall {
  return calls.find(({ name }) => name === call.name) ?? call;
}

/** Whoever runs one call as a test wants what prepares for it and cleans up after it, too. */
function chosenCalls({ calls }: CallFile, items: FileTests['items']): readonly FileCall[] {
  const isChosen = ({ name }: FileCall): boolean => items.has(name);
  const isOnlyPhases = !calls.some((call) => call.phase === undefined && isChosen(call));
  return calls.filter((call) => isChosen(call) || (call.phase !== undefined && !isOnlyPhases));
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
  return l10n.t('This file cannot be read.');
}
