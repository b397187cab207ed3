import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { fileText } from '../../core/bounds/regularFile';
import { readOutline } from '../../core/callFiles/runbook';
import { toCallFileText } from '../../host/callFiles/callCopies';
import type { History } from '../../host/history/history';
import { hasKeptAnswer, type PastCall } from '../../host/history/pastCall';
import { commands, scheme } from '../../ids';
import { notify } from '../editor/messages';
import { confirmIfForeign } from '../editor/ownArguments';
import { readFileOf } from '../editor/readableDocument';
import { quoted } from '../format/sentences';
import { searchCallFiles, openCallFiles } from '../callFiles/callFileDocuments';
import type { CallFileRuns } from '../callFiles/callFileRuns';
import type { ExpectedAnswers } from '../callFiles/expectedAnswers';
import { toWrittenCall, openNewCallFile } from '../callFiles/savedCall';
import { activeUri } from '../editor/resultTabs';
import { registerRowCommand } from '../editor/rowCommands';
import { callIdOf } from './callCommands';
import { endedPick, pickCall } from './callPicker';
import { answerOrNotify } from './pastResults';
import { fromHistory } from './shownCall';

interface ExpectAnswerOptions {
  readonly runs: Pick<CallFileRuns, 'callOf'>;
  readonly history: Pick<History, 'read' | 'find' | 'answerOf' | 'knownCalls'>;
  /** Returns the path of the documents of a call. */
  readonly results: { pathOf(callId: string): string | undefined };
  readonly answers: Pick<ExpectedAnswers, 'write'>;
}

/** A call in a call file that the expected answer can be written to. */
interface CallPlace {
  readonly uri: vscode.Uri;
  readonly name: string;
}

const maxFiles = 200;
const maxBytes = 1024 * 1024;

/**
 * The command takes the call of a row, a lens or the active result; otherwise the user chooses a
 * past call.
 */
export function registerExpectAnswer(options: ExpectAnswerOptions): vscode.Disposable {
  const { history } = options;
  return registerRowCommand(commands.expectAnswer, async (argument: unknown) => {
    await history.read();
    const active = activeUri();
    const uri = argument instanceof vscode.Uri ? argument : active;
    const isLookedAt = argument instanceof vscode.Uri && String(active) === argument.toString();
    const question = l10n.t('Expect this result in the call file from now on?');
    const yes = l10n.t('Expect This Result');
    if (!isLookedAt && !(await confirmIfForeign(argument, question, yes))) return;
    const shown = uri?.scheme === scheme ? callShownIn(uri, options) : undefined;
    const callId = callIdOf(argument) ?? shown ?? (await pickAnswered(history));
    if (callId !== undefined) await expectAnswer(options, callId);
  });
}

/** Returns the call whose answer a result document shows. */
export function callShownIn(
  { path }: vscode.Uri,
  {
    history,
    results,
  }: { readonly history: Pick<History, 'knownCalls'> } & Pick<ExpectAnswerOptions, 'results'>,
): string | undefined {
  return history.knownCalls.find(({ callId }) => {
    const folder = results.pathOf(callId);
    return folder !== undefined && path.startsWith(`${folder}/`);
  })?.callId;
}

function pickAnswered(history: ExpectAnswerOptions['history']): Promise<string | undefined> {
  return pickCall(
    history.knownCalls.filter(hasKeptAnswer).map((call) => endedPick(fromHistory(call))),
    l10n.t('Expect the result of a call'),
    l10n.t('No call has a result yet.'),
  );
}

async function expectAnswer(
  { runs, history, answers }: ExpectAnswerOptions,
  callId: string,
): Promise<void> {
  const call = history.find(callId);
  if (call?.answer?.omitted === 'secret') {
    const sentence = l10n.t(
      'The result of “{0}” was not written: it contains a secret, and call files are shared.',
      quoted(call.toolTitle),
    );
    notify('warning', sentence);
    return;
  }
  if (call === undefined || !hasKeptAnswer(call)) {
    notify('information', l10n.t('The result of this call is no longer available.'));
    return;
  }
  const place = runs.callOf(callId) ?? (await pickPlace(call));
  if (place === undefined) return;
  const result = await answerOrNotify(history, call);
  if (result === undefined) return;
  await answers.write(place.uri, [{ name: place.name, result, callId }]);
}

/** Lets the user choose a call of the same tool, or a new file. */
async function pickPlace(call: PastCall): Promise<CallPlace | undefined> {
  const places = await placesOf(call);
  const items = places.map((place) => ({
    label: quoted(place.name === '' ? call.tool : place.name),
    description: vscode.workspace.asRelativePath(place.uri),
    place,
  }));
  const created = { label: l10n.t('New Call File…'), description: '', place: undefined };
  const picked = await vscode.window.showQuickPick([...items, created], {
    title: l10n.t('Expect This Result'),
    placeHolder: l10n.t('Choose the call whose result is expected from now on'),
  });
  if (picked === undefined || picked.place !== undefined) return picked?.place;
  const uri = await openNewCallFile(call.tool, toCallFileText(toWrittenCall(call)));
  return { uri, name: '' };
}

/** Searches open call files and at most 200 files of the workspace. */
async function placesOf({ server, tool }: PastCall): Promise<readonly CallPlace[]> {
  const open = openCallFiles();
  const isOpen = new Set(open.map(({ uri }) => uri.toString()));
  const found = await searchCallFiles(maxFiles);
  const texts = open.map((document) => ({ uri: document.uri, text: document.getText() }));
  for (const uri of found) {
    if (isOpen.has(uri.toString())) continue;
    const text = await readText(uri);
    if (text !== undefined) texts.push({ uri, text });
  }
  return texts.flatMap(({ uri, text }) =>
    readOutline(text)
      .calls.filter((call) => call.server === server && call.tool === tool)
      .map(({ name }) => ({ uri, name })),
  );
}

async function readText(uri: vscode.Uri): Promise<string | undefined> {
  try {
    return fileText(await readFileOf(uri, maxBytes));
  } catch {
    // A file that is missing, too large, not regular or unreadable is not offered.
    return undefined;
  }
}
