import * as vscode from 'vscode';
import type { ExpectationFailure } from '../../core/callFiles/expectations';
import type { CallFile, FileCall } from '../../core/callFiles/callFile';
import { assertNever } from '../../core/errors';
import type { ToolResult } from '../../core/types';
import { answersUsedByAll, type TestResult } from '../../core/testing/runTests';
import type { CallAnswers, AnswerPlace, RunAnswers } from '../../host/callFiles/callAnswers';
import { callFileExtension } from '../../ids';
import { writeExactly } from '../../core/json/writtenNumber';

/** State of the last run of a call. */
export type RunState =
  | { readonly kind: 'running' }
  | ({ readonly kind: 'passed' } & AnsweredRun)
  | ({ readonly kind: 'unmet'; readonly failures: readonly ExpectationFailure[] } & AnsweredRun)
  | { readonly kind: 'skipped' | 'failed'; readonly message: string }
  /** A variable has no value; `pointer` is relative to the call. */
  | { readonly kind: 'unsent'; readonly message: string; readonly pointer: string };

interface AnsweredRun {
  readonly durationMs: number;
  /** Id for opening the answer. */
  readonly callId?: string;
}

interface Run {
  readonly state: RunState;
  /** Text of the call that was run; the outcome is void once the call was edited. */
  readonly call: string;
}

/** The source of an answer; the answer itself is stored separately. */
interface Brought {
  /** Identity of the server configuration at the time of the answer. */
  readonly server: string | undefined;
  /** The environment that the values of the call came from. */
  readonly environment: string | undefined;
}

/** State of one file in this window. */
interface FileRuns {
  readonly runs: Map<string, Run>;
  /** Results of calls, for use in later calls. */
  readonly results: Map<string, Brought>;
}

/** Limit for files without an open document. */
const maxClosedFiles = 50;

/**
 * Outcomes of calls in this window, for open call files and the most recently run closed ones. VS
 * Code closes documents that no editor shows after a while, such as those of the Test Explorer.
 */
export class CallFileRuns implements vscode.Disposable {
  readonly #files = new Map<string, FileRuns>();
  /** Keys of files without a document, the first closed first. */
  readonly #closed = new Set<string>();
  readonly #subscription = vscode.Disposable.from(
    vscode.workspace.onDidOpenTextDocument(({ uri }) => this.#closed.delete(uri.toString())),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#close(uri)),
    vscode.workspace.onDidDeleteFiles(({ files }) => files.forEach((uri) => this.forget(uri))),
    // A different file may get the old name, and must not inherit the outcomes.
    vscode.workspace.onDidRenameFiles(({ files }) =>
      files.forEach(({ oldUri }) => this.forget(oldUri)),
    ),
  );

  readonly #onDidChange = new vscode.EventEmitter<vscode.Uri>();
  /** Fires when the state of a call of this file changes. */
  readonly onDidChange = this.#onDidChange.event;

  readonly #answers: CallAnswers;
  readonly #named = new WeakMap<CallFile['calls'], ReadonlySet<string>>();
  readonly #identify: (server: string) => string | undefined;

  /** @param identify returns an identity of the configuration of a server; defaults to its id */
  constructor(answers: CallAnswers, identify: (server: string) => string | undefined = (id) => id) {
    this.#answers = answers;
    this.#identify = identify;
  }

  /** Returns `undefined` also when the call was edited since its run. */
  stateOf(uri: vscode.Uri, call: FileCall): RunState | undefined {
    const run = this.#files.get(uri.toString())?.runs.get(call.name);
    return run?.call === textOf(call) ? run.state : undefined;
  }

  /** Ignores results of other environments, which may come from other servers and accounts. */
  hasResult(uri: vscode.Uri, name: string, environment?: string): boolean {
    const brought = this.#files.get(uri.toString())?.results.get(name);
    return (
      brought !== undefined &&
      brought.environment === environment &&
      this.#answers.has(answerKey(uri.toString(), name))
    );
  }

  async resultOf(
    uri: vscode.Uri,
    name: string,
    environment?: string,
  ): Promise<ToolResult | undefined> {
    if (!this.hasResult(uri, name, environment)) return undefined;
    return this.#answers.get(answerKey(uri.toString(), name));
  }

  /**
   * Returns true if the result came from this server and its configuration has not changed since.
   */
  isResultOf(uri: vscode.Uri, name: string, server: string): boolean {
    const from = this.#files.get(uri.toString())?.results.get(name)?.server;
    return from !== undefined && from === this.#identify(server);
  }

  /**
   * Returns the call file and the name of the call with this id; calls in Markdown are not found.
   */
  callOf(callId: string): { readonly uri: vscode.Uri; readonly name: string } | undefined {
    for (const [key, { runs }] of this.#files) {
      if (!key.endsWith(callFileExtension)) continue;
      for (const [name, { state }] of runs) {
        if ('callId' in state && state.callId === callId) {
          return { uri: vscode.Uri.parse(key), name };
        }
      }
    }
    return undefined;
  }

  /**
   * Returns answers for an isolated run, which neither reads earlier results nor leaves any to
   * later runs.
   */
  ofRun(calls: readonly FileCall[]): RunAnswers {
    return this.#answers.ofRun(answersUsedByAll(calls));
  }

  setState(uri: vscode.Uri, call: FileCall, state: RunState): void {
    this.#of(uri).runs.set(call.name, { state: withoutAnswers(state), call: textOf(call) });
    this.#onDidChange.fire(uri);
  }

  /**
   * Returns `disk` for results that other calls use. The rest stays in memory, in case the user is
   * about to write a call that uses them.
   */
  keptIn({ calls }: CallFile, { name }: FileCall): AnswerPlace {
    const named = this.#named.get(calls) ?? answersUsedByAll(calls);
    this.#named.set(calls, named);
    return named.has(name) ? 'disk' : 'memory';
  }

  /** Resolves when the result is stored. `keptIn` is `disk` for results that other calls use. */
  async setResult(
    uri: vscode.Uri,
    { name, server: id }: FileCall,
    result: ToolResult,
    {
      environment,
      keptIn,
    }: { readonly environment: string | undefined; readonly keptIn: AnswerPlace },
  ): Promise<void> {
    const server = this.#identify(id);
    this.#of(uri).results.set(name, { server, environment });
    await this.#answers.set(answerKey(uri.toString(), name), result, keptIn);
  }

  /** Removes the state of a deleted file, or of all files in a deleted folder. */
  forget(uri: vscode.Uri): void {
    const key = uri.toString();
    for (const known of this.#files.keys()) {
      if (known !== key && !known.startsWith(`${key}/`)) continue;
      this.#delete(known);
    }
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#onDidChange.dispose();
  }

  /** An untitled document loses its state when it is closed. */
  #close(uri: vscode.Uri): void {
    const key = uri.toString();
    if (!this.#files.has(key)) return;
    if (uri.scheme === 'untitled') this.forget(uri);
    else this.#addClosed(key);
  }

  #addClosed(key: string): void {
    this.#closed.delete(key);
    this.#closed.add(key);
    const [oldest] = this.#closed;
    if (this.#closed.size > maxClosedFiles && oldest !== undefined) {
      this.#delete(oldest);
    }
  }

  #delete(key: string): void {
    for (const name of this.#files.get(key)?.results.keys() ?? []) {
      this.#answers.delete(answerKey(key, name));
    }
    this.#files.delete(key);
    this.#closed.delete(key);
  }

  #of(uri: vscode.Uri): FileRuns {
    const key = uri.toString();
    const known = this.#files.get(key) ?? { runs: new Map(), results: new Map() };
    this.#files.set(key, known);
    // VS Code may have closed the document while the Test Explorer was still running it.
    const isOpen = ({ uri: open }: vscode.TextDocument): boolean => open.toString() === key;
    if (!vscode.workspace.textDocuments.some(isOpen)) this.#addClosed(key);
    return known;
  }
}

function textOf(call: FileCall): string {
  const { server, target, arguments: given, isSentAsIs, answers, timeoutMs, expect } = call;
  const parts = [server, target, given, isSentAsIs, answers, timeoutMs, expect];
  return writeExactly(() => JSON.stringify(parts, patternAsText));
}

/** JSON would serialize a regular expression as an empty object. */
function patternAsText(_: string, value: unknown): unknown {
  return value instanceof RegExp ? value.source : value;
}

function answerKey(file: string, name: string): string {
  return JSON.stringify([file, name]);
}

/** Returns the state after a call; `message` says why it has no answer. */
export function stateAfter(
  { status, durationMs, failures, callId }: TestResult,
  message: string,
): RunState {
  const facts = { durationMs, ...(callId === undefined ? {} : { callId }) };
  switch (status) {
    case 'passed':
      return { kind: 'passed', ...facts };
    case 'failed':
      return { kind: 'unmet', failures, ...facts };
    case 'errored':
      return { kind: 'failed', message };
    case 'skipped':
      return { kind: 'skipped', message };
    default:
      return assertNever(status);
  }
}

/** Drops whole answers, which may be large and are not needed for messages. */
function withoutAnswers(state: RunState): RunState {
  if (state.kind !== 'unmet') return state;
  return { ...state, failures: state.failures.map(withoutAnswer) };
}

/** Returns the failure without the expected and actual answers. */
export function withoutAnswer(failure: ExpectationFailure): ExpectationFailure {
  const { code, pointer } = failure;
  return code === 'answer' ? { code, pointer } : failure;
}
