import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { AgentDrafts } from '../../host/agents/agentDrafts';
import { isFromUser, type CallOrigin } from '../../host/consent/facts/callFacts';
import type { RunningCalls } from '../../host/calls/runningCalls';
import type { ServerRegistry } from '../../host/connections/registry';
import type { History } from '../../host/history/history';
import { withoutMarkers } from '../../host/history/storedArguments';
import { hasKeptAnswer, type PastCall } from '../../host/history/pastCall';
import { commands, scheme } from '../../ids';
import { copyCallAs } from '../callFiles/callCopyPicker';
import { addToCallFile, saveCalls, toWrittenCall } from '../callFiles/savedCall';
import { askInDialog } from '../editor/askInDialog';
import { activeUri } from '../editor/resultTabs';
import type { CallTarget } from '../arguments/argumentDocuments';
import type { CallToolCommand } from '../calls/callToolCommand';
import { openInChat } from '../prompts/promptChat';
import type { PromptCommands } from '../prompts/promptCommands';
import { notify, showStatus } from '../editor/messages';
import { confirmIfForeign, isUserChoice, isOwnArgument } from '../editor/ownArguments';
import { isSameJson } from '../../core/json/shapes';
import { quoted } from '../format/sentences';
import type { CallList } from './callList';
import { type CallPick, endedPick, pickCall, separator } from './callPicker';
import type { ActivityRow } from './callRows';
import { formatCallCount } from './callStatus';
import type { Comparisons } from './comparisons';
import { byFocus, callIdOf } from './callCommands';
import { callShownIn } from './expectAnswer';
import { answerOrNotify } from './pastResults';
import type { ShownCall } from './shownCall';

interface PastCallCommandsOptions {
  readonly list: CallList;
  readonly running: Pick<RunningCalls, 'forget'>;
  readonly history: Pick<History, 'read' | 'find' | 'knownCalls' | 'answerOf' | 'remove' | 'clear'>;
  /** Returns the path of the documents of a call. */
  readonly results: { pathOf(callId: string): string | undefined };
  /** The arguments of drafts are deleted together with their calls. */
  readonly drafts: Pick<AgentDrafts, 'forget'>;
  readonly registry: Pick<ServerRegistry, 'find'>;
  readonly calls: Pick<CallToolCommand, 'repeat' | 'change'>;
  readonly prompts: Pick<PromptCommands, 'again' | 'change'>;
  readonly comparisons: Pick<Comparisons, 'open'>;
  /** Resolves with the rows that a keyboard command applies to. */
  readonly focused: () => Promise<readonly ActivityRow[]>;
}

/** User commands for ended calls; each takes a row, a key or shows a picker. */
export class PastCallCommands {
  readonly #options: PastCallCommandsOptions;

  constructor(options: PastCallCommandsOptions) {
    this.#options = options;
  }

  register(): vscode.Disposable {
    return vscode.Disposable.from(
      this.#onCall(commands.runAgain, l10n.t('Run a call again'), (call, origin) =>
        this.runAgain(call, origin),
      ),
      this.#onCall(
        commands.runAgainWithChanges,
        l10n.t('Run a call again with changes'),
        (call, origin) => this.change(call, origin),
      ),
      vscode.commands.registerCommand(commands.repeatLastCall, () => this.#repeatLast()),
      this.#onCalls(commands.saveCall, l10n.t('Save a call as a call file'), saveCalls),
      this.#onCalls(commands.addToFile, l10n.t('Add a call to a call file'), addToCallFile),
      this.#onCall(commands.copyPastCallAs, l10n.t('Copy a past call'), (call) => this.#copy(call)),
      this.#onCall(commands.openPromptInChat, l10n.t('Open a prompt in chat'), (call) =>
        this.#openInChat(call),
      ),
      this.#on(commands.compareResults, (ids) => this.#compare(ids)),
      this.#on(commands.removeCalls, (ids, argument) => this.#remove(ids, argument)),
      this.#on(commands.clearHistory, () => this.clear()),
    );
  }

  /**
   * Runs through approval like any other call; if it had secrets, it opens at the arguments
   * instead.
   */
  async runAgain(call: PastCall, origin: CallOrigin = 'history'): Promise<void> {
    if (!this.#isServerThere(call)) return;
    const { arguments: given, argumentsOmitted, hasSecrets, toolTitle } = call;
    const name = quoted(toolTitle);
    if (argumentsOmitted === undefined && hasSecrets !== true) {
      const { calls, prompts } = this.#options;
      if (call.isPrompt === true) await prompts.again(call, origin);
      else await calls.repeat(targetOf(call, origin), given);
      return;
    }
    notify(
      'information',
      hasSecrets === true
        ? l10n.t('“{0}” was called with secrets, which are never kept. Enter them again.', name)
        : l10n.t('The arguments of this call of “{0}” were not kept. Enter them again.', name),
    );
    await this.change(call, origin);
  }

  async change(call: PastCall, origin: CallOrigin = 'history'): Promise<void> {
    if (!this.#isServerThere(call)) return;
    const { arguments: given, hasSecrets } = call;
    const known = given === undefined ? {} : hasSecrets === true ? withoutMarkers(given) : given;
    if (call.isPrompt === true) return this.#options.prompts.change(call, known, origin);
    const likely = likelyChange(call, this.#options.history.knownCalls);
    await this.#options.calls.change(targetOf(call, origin), known, {
      likely,
      // Input fields mask secrets as they are typed.
      inFields: hasSecrets === true,
    });
  }

  /** Asks once, then removes all ended calls and their results from the history. */
  async clear(): Promise<void> {
    const { list, history, running, drafts } = this.#options;
    await history.read();
    if (list.ended.length === 0) {
      notify('information', l10n.t('The history is empty.'));
      return;
    }
    const detail = l10n.t(
      'This deletes {0} with all results and cannot be undone. The audit journal is kept.',
      formatCallCount(list.ended.length),
    );
    const question = l10n.t('Clear the history of calls?');
    if (!(await askInDialog(question, detail, l10n.t('Clear History')))) return;
    await orTell(async () => {
      await history.clear();
      drafts.forget();
      running.forget();
    });
  }

  /** Runs as a foreign call, because VS Code does not report who executed a command. */
  async #repeatLast(): Promise<void> {
    const { history } = this.#options;
    await history.read();
    const last = history.knownCalls.find(
      ({ origin }) => isFromUser(origin) || origin === 'command',
    );
    if (last !== undefined) return this.runAgain(last, 'command');
    notify('information', l10n.t('There is no call in the history yet.'), {
      title: l10n.t('Call Tool…'),
      command: commands.callTool,
    });
  }

  async #copy(call: PastCall): Promise<void> {
    if (isWithoutArguments(call)) return;
    await copyCallAs(toWrittenCall(call), this.#options.registry.find(call.server));
  }

  async #openInChat(call: PastCall): Promise<void> {
    if (call.isPrompt === true && hasKeptAnswer(call)) {
      const answer = await answerOrNotify(this.#options.history, call);
      if (answer !== undefined) await openInChat(answer);
    } else notify('information', l10n.t('This call has no messages of a prompt.'));
  }

  async #compare(ids: readonly string[]): Promise<void> {
    const { history, list, comparisons } = this.#options;
    const kept = list.ended.filter(({ id }) => hasKeptAnswer(history.find(id)));
    const one =
      ids[0] ?? (await this.#pick(kept.map(endedPick), l10n.t('Compare the result of a call')));
    if (one === undefined) return;
    const first = history.find(one);
    if (first === undefined || !hasKeptAnswer(first)) {
      notify('information', l10n.t('The result of this call is no longer available.'));
      return;
    }
    const other = ids[1] ?? (await this.#pickOther(first, kept));
    const second = other === undefined ? undefined : history.find(other);
    if (second !== undefined && hasKeptAnswer(second)) await comparisons.open(first, second);
  }

  /** Lists calls of the same tool first. */
  async #pickOther(call: PastCall, kept: readonly ShownCall[]): Promise<string | undefined> {
    const others = kept.filter(({ id }) => id !== call.callId);
    const isSame = ({ server, tool }: ShownCall) => server === call.server && tool === call.tool;
    const same = others.filter(isSame);
    const rest = others.filter((each) => !isSame(each));
    const items = [
      ...(same.length === 0 ? [] : [separator(l10n.t('The same tool'))]),
      ...same.map(endedPick),
      ...(rest.length === 0 ? [] : [separator(l10n.t('Other tools'))]),
      ...rest.map(endedPick),
    ];
    const title = l10n.t('Compare the result of “{0}” with', quoted(call.toolTitle));
    return pickCall(items, title, l10n.t('No other call has a result to compare with.'));
  }

  async #remove(ids: readonly string[], argument: unknown): Promise<void> {
    const { list, history, running, drafts } = this.#options;
    const title = l10n.t('Remove a call from the history');
    const picked = ids.length > 0 ? undefined : await this.#pick(list.ended.map(endedPick), title);
    const chosen = picked === undefined ? ids : [picked];
    const gone = chosen.filter((id) => list.find(id) !== undefined);
    if (gone.length === 0) return;
    const question = l10n.t('Remove {0} from the history?', formatCallCount(gone.length));
    // A keyboard command acts on the row that it has just selected.
    const isByKey = argument === byFocus;
    if (!isByKey && !(await confirmIfForeign(argument, question, l10n.t('Remove')))) return;
    await orTell(async () => {
      await history.remove(gone);
      drafts.forget(gone);
      running.forget(gone);
      showStatus(
        gone.length === 1
          ? l10n.t('1 call was removed from the history.')
          : l10n.t('{0} calls were removed from the history.', gone.length),
      );
    });
  }

  /**
   * Reports a server that is no longer configured; other problems are reported later, where they
   * occur.
   */
  #isServerThere({ server, serverLabel, toolTitle }: PastCall): boolean {
    if (this.#options.registry.find(server) !== undefined) return true;
    const sentence = l10n.t(
      '“{0}” cannot be run again because server “{1}” is no longer configured. Add it again.',
      quoted(toolTitle),
      quoted(serverLabel),
    );
    notify(
      'warning',
      sentence,
      { title: l10n.t('Open Configuration'), command: commands.openServerConfiguration },
      { title: l10n.t('Add Server…'), command: commands.addServer },
    );
    return false;
  }

  #pick(items: readonly CallPick[], title: string): Promise<string | undefined> {
    return pickCall(items, title, l10n.t('The history has no calls yet.'));
  }

  #on(
    command: string,
    run: (ids: readonly string[], argument: unknown) => Promise<void>,
  ): vscode.Disposable {
    return vscode.commands.registerCommand(command, async (argument: unknown, all: unknown) => {
      await this.#options.history.read();
      const ids =
        this.#shownCall(argument) ?? (await callsOf(argument, all, this.#options.focused));
      if (ids !== undefined) await run(ids, argument);
    });
  }

  /**
   * Returns the call of the answer in an editor title, or in the active editor for a key. URIs of
   * answers can be guessed, so neither proves that the user ran the command.
   */
  #shownCall(argument: unknown): readonly string[] | undefined {
    const isKey = argument === inAnswer;
    const uri = isKey ? activeUri() : argument instanceof vscode.Uri ? argument : undefined;
    const callId = uri?.scheme === scheme ? callShownIn(uri, this.#options) : undefined;
    if (callId !== undefined) return [callId];
    return isKey ? [] : undefined;
  }

  /** Runs on all selected calls whose arguments were kept, oldest first. */
  #onCalls(
    command: string,
    title: string,
    run: (calls: readonly PastCall[]) => Promise<void>,
  ): vscode.Disposable {
    return this.#on(command, async (ids) => {
      const { list, history } = this.#options;
      const picked = ids.length > 0 ? ids : [await this.#pick(list.ended.map(endedPick), title)];
      const calls = picked.flatMap((id) => (id === undefined ? [] : (history.find(id) ?? [])));
      const kept = calls.filter(({ argumentsOmitted }) => argumentsOmitted === undefined);
      const [first] = calls;
      if (first !== undefined && kept.length < calls.length) isWithoutArguments(first);
      await run(kept.toSorted((one, other) => one.startedAt - other.startedAt));
    });
  }

  /** Runs on the clicked row of several; without any row, the user chooses. */
  #onCall(
    command: string,
    title: string,
    run: (call: PastCall, origin: CallOrigin) => Promise<void>,
  ): vscode.Disposable {
    return this.#on(command, async ([first], argument) => {
      const { list, history } = this.#options;
      const callId = first ?? (await this.#pick(list.ended.map(endedPick), title));
      if (callId === undefined) return;
      const call = history.find(callId);
      if (call !== undefined) await run(call, isUserChoice(argument) ? 'history' : 'command');
      else notify('information', l10n.t('This call is no longer in the history.'));
    });
  }
}

/**
 * Returns the first argument that differs from the previous call of the same tool; the user is
 * likely to change it again.
 */
function likelyChange(call: PastCall, newestFirst: readonly PastCall[]): string | undefined {
  const now = call.arguments ?? {};
  const index = newestFirst.findIndex(({ callId }) => callId === call.callId);
  for (const { server, tool, arguments: then } of newestFirst.slice(index + 1)) {
    if (server !== call.server || tool !== call.tool || then === undefined) continue;
    const changed = Object.keys(now).find((name) => !isSameJson(now[name], then[name]));
    if (changed !== undefined) return changed;
  }
  return undefined;
}

/** The new call has the origin of this request, but its arguments keep their own origin. */
function targetOf(call: PastCall, origin: CallOrigin): CallTarget {
  const isForeign = call.isForeign === true || !isFromUser(call.origin);
  const target = { serverId: call.server, toolName: call.tool, origin };
  return isForeign ? { ...target, isForeign } : target;
}

/** Tells the user if only the name of the tool was stored. */
function isWithoutArguments({ argumentsOmitted, toolTitle }: PastCall): boolean {
  if (argumentsOmitted === undefined) return false;
  const name = quoted(toolTitle);
  notify('information', l10n.t('The arguments of this call of “{0}” were not kept.', name));
  return true;
}

async function orTell(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    notify('error', l10n.t('The history could not be changed: “{0}”', quoted(detail)));
  }
}

/** Argument that a keybinding passes for the answer in the active editor. */
const inAnswer = 'answer';

/**
 * Returns the calls that a command applies to: the clicked row first, then the other selected rows.
 * Returns `[]` when the command was run from the palette, so that the user chooses, and `undefined`
 * when a key was pressed and no call has the focus.
 */
export async function callsOf(
  argument: unknown,
  all: unknown,
  focused: () => Promise<readonly ActivityRow[]>,
): Promise<readonly string[] | undefined> {
  if (argument === byFocus) {
    const ids = (await focused()).flatMap((row) => callIdOf(row) ?? []);
    return ids.length === 0 ? undefined : ids;
  }
  const pressed = callIdOf(argument);
  if (pressed === undefined) return [];
  // If the first argument is a row of this view, VS Code passes only rows of this view.
  const rows: readonly unknown[] = Array.isArray(all) ? all : [];
  const own = isOwnArgument(argument) ? rows.filter(isOwnArgument) : rows;
  const others = own.flatMap((row) => callIdOf(row) ?? []);
  return [...new Set([pressed, ...others])];
}
