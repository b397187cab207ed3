import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { isAgentWaiting, type RunningCall } from '../../host/calls/runningCall';
import { views } from '../../ids';
import { markOwnArgument } from '../editor/ownArguments';
import { dayOf, formatDay } from '../format/formatTime';
import type { Results } from '../results/results';
import type { CallList } from './callList';
import { dayItem, endedItem, runningItem, type CallRow, type ActivityRow } from './callRows';
import type { ShownCall } from './shownCall';

type CallsViewSource = Pick<
  CallList,
  'running' | 'ended' | 'find' | 'hasResult' | 'briefArgumentsOf' | 'isSigningIn' | 'onDidChange'
>;

/**
 * Tree data of the calls: running ones, then those that ended today, then one row for each earlier
 * day.
 */
export class CallsTree implements vscode.TreeDataProvider<ActivityRow>, vscode.Disposable {
  readonly #calls: CallsViewSource;
  readonly #subscription: { dispose(): void };
  /** Each call or day keeps its row object, because VS Code identifies rows by object. */
  readonly #rows = new Map<string, ActivityRow>();
  /** The ended calls by their day, newest first. Absent until they are asked for after a change. */
  #byDay: ReadonlyMap<string, readonly ShownCall[]> | undefined;
  /** The day that was today when the list was made. */
  #today: string | undefined;

  readonly #onDidChangeTreeData = new vscode.EventEmitter<ActivityRow[] | undefined>();
  readonly onDidChangeTreeData = this.#onDidChangeTreeData.event;

  /** @param read Loads the calls of earlier sessions when the view is first shown. */
  constructor(
    calls: CallsViewSource,
    private readonly read: () => Promise<void> = () => Promise.resolve(),
  ) {
    this.#calls = calls;
    // VS Code forgets all rows while it reads the list again: a button that is pressed then would
    // have no row.
    this.#subscription = calls.onDidChange((change) => {
      if (change === 'list') this.#byDay = undefined;
      if (change === 'running') this.tick();
      else this.#onDidChangeTreeData.fire(undefined);
    });
  }

  async getChildren(row?: ActivityRow): Promise<ActivityRow[]> {
    if (row !== undefined) {
      const calls = 'day' in row ? (this.#days.get(row.day) ?? []) : [];
      return calls.map((call) => this.#callRow(call));
    }
    await this.read();
    const running = this.#calls.running.filter(({ isHidden }) => !isHidden);
    this.#forget();
    const today = dayOf(Date.now());
    this.#today = today;
    const days = [...this.#days];
    const ofToday = days.flatMap(([day, calls]) => (day >= today ? calls : []));
    return [
      ...[...running, ...ofToday].map((call) => this.#callRow(call)),
      ...days.flatMap(([day]) => (day < today ? this.#dayRow(day) : [])),
    ];
  }

  getTreeItem(row: ActivityRow): vscode.TreeItem {
    markOwnArgument(row);
    if ('day' in row) {
      const calls = this.#days.get(row.day) ?? [];
      return dayItem(row, formatDay(calls[0]?.endedAt ?? Date.now(), Date.now()), calls.length);
    }
    const { callId } = row;
    const running = this.#calls.running.find(({ id }) => id === callId);
    if (running !== undefined) {
      const isSigningIn = this.#calls.isSigningIn(running.server);
      return runningItem(running, this.#calls.briefArgumentsOf(callId), Date.now(), isSigningIn);
    }
    const ended = this.#calls.find(callId);
    // The call may have been removed since the view asked for its row; the next refresh removes the
    // row.
    if (ended === undefined) return new vscode.TreeItem('');
    return endedItem(ended, this.#calls.hasResult(callId));
  }

  /** Redraws running calls to update their elapsed times, and after midnight all rows. */
  tick(): void {
    if (this.#today !== undefined && this.#today !== dayOf(Date.now())) {
      this.#onDidChangeTreeData.fire(undefined);
      return;
    }
    const rows = this.#calls.running.flatMap(({ id }) => this.#rows.get(id) ?? []);
    if (rows.length > 0) this.#onDidChangeTreeData.fire(rows);
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#onDidChangeTreeData.dispose();
  }

  get #days(): ReadonlyMap<string, readonly ShownCall[]> {
    this.#byDay ??= groupByDay(this.#calls.ended);
    return this.#byDay;
  }

  #callRow({ id: callId, server: serverId }: Pick<ShownCall, 'id' | 'server'>): CallRow {
    const known = this.#rows.get(callId);
    const row = known !== undefined && 'callId' in known ? known : { callId, serverId };
    this.#rows.set(callId, row);
    return row;
  }

  #dayRow(day: string): ActivityRow {
    const row = this.#rows.get(day) ?? { day };
    this.#rows.set(day, row);
    return row;
  }

  /** Removes the rows of calls that no longer exist. */
  #forget(): void {
    const { running, ended } = this.#calls;
    const ids = new Set([...running, ...ended].map(({ id }) => id));
    for (const [key, row] of this.#rows) {
      if ('callId' in row && !ids.has(key)) this.#rows.delete(key);
    }
  }
}

function groupByDay(calls: readonly ShownCall[]): ReadonlyMap<string, readonly ShownCall[]> {
  const days = new Map<string, ShownCall[]>();
  for (const call of calls) {
    const day = dayOf(call.endedAt);
    const ofDay = days.get(day);
    if (ofDay === undefined) days.set(day, [call]);
    else ofDay.push(call);
  }
  return days;
}

const tickMs = 1_000;

/** The view `Calls`; its timer runs only while the view is visible and a call is running. */
export class CallsView implements vscode.Disposable {
  readonly #calls: CallsViewSource;
  readonly #tree: CallsTree;
  readonly #view: vscode.TreeView<ActivityRow>;
  readonly #subscriptions: readonly { dispose(): void }[];
  #selected: readonly ActivityRow[] = [];
  #selectedBefore: readonly ActivityRow[] = [];
  #clock: NodeJS.Timeout | undefined;

  constructor(calls: CallsViewSource, read: () => Promise<void>, drags: ResultDrags) {
    this.#calls = calls;
    this.#tree = new CallsTree(calls, read);
    this.#view = vscode.window.createTreeView(views.activity, {
      treeDataProvider: this.#tree,
      canSelectMany: true,
      dragAndDropController: drags,
    });
    this.#subscriptions = [
      calls.onDidChange(() => {
        this.#wind();
        this.#count();
      }),
      this.#view.onDidChangeSelection(({ selection }) => {
        this.#selectedBefore = this.#selected;
        this.#selected = selection;
      }),
      this.#view.onDidChangeVisibility(({ visible }) => {
        if (visible) this.#tree.tick();
        this.#wind();
      }),
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused) this.#tree.tick();
      }),
    ];
  }

  /**
   * Returns the rows that a keyboard command applies to: the focused row, or the whole selection if
   * it contains the focused row. VS Code does not report the focused row, so this toggles its
   * selection first and compares. Call this only once per key press.
   */
  async takeFocused(): Promise<readonly ActivityRow[]> {
    await vscode.commands.executeCommand('list.toggleSelection');
    const [before, now] = [this.#selectedBefore, this.#selected];
    this.#selectedBefore = now;
    const changed = [
      ...now.filter((row) => !before.includes(row)),
      ...before.filter((row) => !now.includes(row)),
    ];
    const [focused, ...others] = changed;
    if (focused === undefined || others.length > 0) return [];
    return before.includes(focused) ? before : [focused];
  }

  get isVisible(): boolean {
    return this.#view.visible;
  }

  dispose(): void {
    clearInterval(this.#clock);
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#view.dispose();
    this.#tree.dispose();
  }

  /** The badge shows waiting questions even when the view is hidden. */
  #count(): void {
    const badge = waitingBadge(this.#calls.running);
    if (badge?.tooltip !== this.#view.badge?.tooltip) this.#view.badge = badge;
  }

  #wind(): void {
    const isNeeded = this.#view.visible && this.#calls.running.length > 0;
    if (isNeeded) this.#clock ??= setInterval(() => this.#tree.tick(), tickMs);
    else {
      clearInterval(this.#clock);
      this.#clock = undefined;
    }
  }
}

/**
 * Returns a badge with the number of agent calls and task questions that wait for the user;
 * `undefined` for zero.
 */
export function waitingBadge(calls: readonly RunningCall[]): vscode.ViewBadge | undefined {
  const agents = calls.filter(isAgentWaiting).length;
  const questions = calls.reduce((sum, call) => sum + call.questions.length, 0);
  const sentences = [
    ...(agents === 0 ? [] : [agentSentence(agents)]),
    ...(questions === 0 ? [] : [questionSentence(questions)]),
  ];
  if (sentences.length === 0) return undefined;
  return { value: agents + questions, tooltip: sentences.join('\n') };
}

function agentSentence(count: number): string {
  return count === 1
    ? l10n.t('1 agent call is waiting for you')
    : l10n.t('{0} agent calls are waiting for you', count);
}

function questionSentence(count: number): string {
  return count === 1
    ? l10n.t('1 task question is waiting for you')
    : l10n.t('{0} task questions are waiting for you', count);
}

const uriList = 'text/uri-list';

/**
 * Lets the user drag results from their rows into editors, or onto a tool that takes a file. Offers
 * only results that already have documents, so a drag reads nothing.
 */
export class ResultDrags implements vscode.TreeDragAndDropController<ActivityRow> {
  readonly dragMimeTypes = [uriList];
  readonly dropMimeTypes = [];
  readonly #results: Pick<Results, 'uriOf'>;

  constructor(results: Pick<Results, 'uriOf'>) {
    this.#results = results;
  }

  handleDrag(rows: readonly ActivityRow[], transfer: vscode.DataTransfer): void {
    const uris = rows.flatMap((row) => {
      const uri = 'callId' in row ? this.#results.uriOf(row.callId) : undefined;
      return uri === undefined ? [] : [uri.toString()];
    });
    if (uris.length > 0) transfer.set(uriList, new vscode.DataTransferItem(uris.join('\r\n')));
  }
}
