import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { exactNumber } from '../../core/json/writtenNumber';
import type { ApiCall, CallOutcome, ExactNumber, ServerSnapshot, ToolgateApi } from '../../api';
import { withSafePreviews } from '../results/markdownPreview';

/**
 * The API before the extension is loaded. It has no servers yet, and the first request loads the
 * rest.
 */
export class InactiveApi implements ToolgateApi, vscode.Disposable {
  readonly version = 1;
  /**
   * VS Code's Markdown preview calls it, because the manifest declares it. It is not for other
   * callers.
   */
  readonly extendMarkdownIt = withSafePreviews;
  readonly #wake: () => Promise<ToolgateApi>;
  /** Set by the first request for a server. */
  #waking: Promise<ToolgateApi> | undefined;
  #awake: ToolgateApi | undefined;
  #subscription: vscode.Disposable | undefined;

  readonly #onDidChange = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#onDidChange.event;

  constructor(wake: () => Promise<ToolgateApi>) {
    this.#wake = wake;
  }

  /** Forwards everything to the real API from now on. */
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
    // A pending start is awaited first, so that it can be stopped.
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
