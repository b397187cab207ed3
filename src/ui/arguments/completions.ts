import { CancellationTokenSource, type CancellationToken } from 'vscode-jsonrpc/node';
import type { CompletionRequest, McpClient } from '../../core/client';
import { noCompletion } from '../../core/parse/promptsAndResources';
import type { Completion } from '../../core/types';

/** Returns the server's completions of a text. May reject, and may never answer. */
export type Complete = (text: string, token: CancellationToken) => Promise<Completion>;

/** Limits the requests while the user types. */
const quietMs = 150;
/** Proposals that come later are not waited for. */
const timeoutMs = 10_000;

/**
 * The server's completions of the text of one field. Requests wait for a pause in typing, and only
 * the answer to the newest one is used.
 */
export class Completions {
  readonly #complete: Complete;
  readonly #onDidChange: () => void;
  #current: Completion = noCompletion;
  #timer: NodeJS.Timeout | undefined;
  #asking: CancellationTokenSource | undefined;
  #isBusy = false;

  constructor(complete: Complete, onDidChange: () => void) {
    this.#complete = complete;
    this.#onDidChange = onDidChange;
  }

  /** At most 100 values; the last known ones while the server is asked. */
  get current(): Completion {
    return this.#current;
  }

  get isBusy(): boolean {
    return this.#isBusy;
  }

  typed(text: string): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.ask(text), quietMs);
  }

  async ask(text: string): Promise<void> {
    this.#asking?.cancel();
    const asking = new CancellationTokenSource();
    this.#asking = asking;
    this.#isBusy = true;
    this.#onDidChange();
    let found = noCompletion;
    try {
      found = await this.#complete(text, asking.token);
    } catch {
      // Without completions the value can still be typed.
    }
    if (this.#asking !== asking || asking.token.isCancellationRequested) return;
    this.#isBusy = false;
    this.#current = found;
    this.#onDidChange();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#asking?.cancel();
  }
}

/** Asks a server for completions of one variable of a template, or one argument of a prompt. */
export function completeBy(
  clientOf: () => Pick<McpClient, 'complete'>,
  request: Omit<CompletionRequest, 'value'>,
): Complete {
  return async (value, token) => clientOf().complete({ ...request, value }, { token, timeoutMs });
}
