import type * as vscode from 'vscode';
import type { Progress } from '../../core/types';
import { quoted } from '../format/sentences';

/** Servers may report at any rate; this limits updates to a readable one. */
const leastMs = 100;

/** The progress object of `vscode.window.withProgress`. */
type ProgressSink = vscode.Progress<{ message?: string; increment?: number }>;

/**
 * Shows progress reports of a server, at most ten a second, and never moves backwards. VS
 * Code takes increments in percent; the protocol sends the amount done.
 */
export class ProgressReports implements vscode.Disposable {
  readonly #sink: ProgressSink;
  #percent = 0;
  #reason = '';
  #latest: Progress | undefined;
  #waiting: Progress | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(sink: ProgressSink) {
    this.#sink = sink;
  }

  /** Ignores a report that equals the previous one. */
  take(progress: Progress): void {
    if (progress === this.#latest) return;
    this.#latest = progress;
    this.#waiting = progress;
    if (this.#timer === undefined) this.#showWaiting();
  }

  /** Shows why the call waits in place of the server's message; an empty reason ends that. */
  setWaiting(reason: string): void {
    if (reason === this.#reason) return;
    this.#reason = reason;
    this.#sink.report({ message: reason });
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }

  #showWaiting(): void {
    const progress = this.#waiting;
    this.#waiting = undefined;
    this.#timer = undefined;
    if (progress === undefined) return;
    this.#show(progress);
    this.#timer = setTimeout(() => this.#showWaiting(), leastMs);
  }

  #show({ progress, total, message }: Progress): void {
    const percent = total === undefined || total <= 0 ? this.#percent : (progress / total) * 100;
    const increment = Math.min(100, percent) - this.#percent;
    this.#percent += Math.max(0, increment);
    this.#sink.report({
      ...(message === undefined ? {} : { message: quoted(message) }),
      ...(increment > 0 ? { increment } : {}),
    });
  }
}
