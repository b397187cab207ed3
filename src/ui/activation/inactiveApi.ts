import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { exactNumber } from '../../core/json/writtenNumber';
import type { ApiCall, CallOutcome, ExactNumber, ServerSnapshot, ToolgateApi } from '../../api';
import { withSafePreviews } from '../results/markdownPreview';

/** The API while nothing is loaded: there are no servers yet, and the first question wakes the rest. */
export class SleepingApi implements ToolgateApi, vscode.Disposable {
  readonly version = 1;
  /** Called by VS Code's Markdown preview, because the manifest says so; not for others. */
  readonly extendMarkdownIt = withSafePreviews;
  readonly #wake: () => Promise<ToolgateApi>;
  /** Since somebody wanted a server of it. */
  #waking: Promise<ToolgateApi> | undefined;
  #awake: ToolgateApi | undefined;
  #subscription: vscode.Disposable | undefined;

  readonly #onDidChange = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#onDidChange.event;

  constructor(wake: () => Promise<ToolgateApi>) {
    this.#wake = wake;
  }

  /** From now on everything is what the other one says. */
  follow(awake: ToolgateApi): void {
    this.#awake = awake;
    this.#subscription = awake.onDidChange(() => this.#onDidChange.fire());
    this.#onDidChange.fire();
  }

  get servers(): readonly ServerSnapshot[] {
    return this.#awake?.servers ?? [];
  }

  async start(serverId: string): Promise<ServerSnapshot> {
    this.#waking = this.#wake();
    return (await this.#waking).start(serverId);
  }

  async stop(serverId: string): Promise<void> {
    // A start that waits comes first, so that it is one that can be stopped.
    const waking = await this.#waking?.catch(() => undefined);
    await (waking ?? this.#awake)?.stop(serverId);
  }

  exactNumber(json: string): ExactNumber {
    return exactNumber(json);
  }

  async callTool(call: ApiCall, token?: vscode.CancellationToken): Promise<CallOutcome> {
    let awake: ToolgateApi;
    try {
      awake = await this.#wake();
    } catch (error) {
      const message = l10n.t('Toolgate could not be loaded. ({0})', String(error));
      return { kind: 'failed', durationMs: 0, error: { code: 'notLoaded', message } };
    }
    return awake.callTool(call, token);
  }

  dispose(): void {
    this.#subscription?.dispose();
    this.#onDidChange.dispose();
  }
}
