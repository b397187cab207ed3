import * as vscode from 'vscode';
import type { Failure } from '../../core/callFiles/expectations';
import type { CallFile, FileCall } from '../../core/callFiles/callFile';
import type { ToolResult } from '../../core/types';
import { namedBy } from '../../core/testing/runTests';
import type { CallAnswers, KeptIn, RunAnswers } from '../../host/callFiles/callAnswers';
import { callFileExtension } from '../../ids';
import { writeExactly } from '../../core/json/writtenNumber';

/** How the last run of a call went. */
export type RunState =
  | { readonly kind: 'running' }
  | ({ readonly kind: 'passed' } & AnsweredRun)
  | ({ readonly kind: 'unmet'; readonly failures: readonly Failure[] } & AnsweredRun)
  | { readonly kind: 'denied' | 'cancelled' | 'failed'; readonly words: string }
  /** A variable has no value; `pointer` begins below the call. */
  | { readonly kind: 'unsent'; readonly words: string; readonly pointer: string };

interface AnsweredRun {
  readonly durationMs: number;
  /** By which the answer can be opened. */
  readonly callId?: string;
}

interface Run {
  readonly state: RunState;
  /** The call as it was run: about another one the outcome says nothing. */
  readonly call: string;
}

/** Whose answer it is; the answer itself is kept apart. */
interface Brought {
  /** The server that answered, as it was configured then. */
  readonly server: string | undefined;
  /** The environment that its values came from. */
  readonly environment: string | undefined;
}

/** What is known of one file in this window. */
interface FileRuns {
  readonly runs: Map<string, Run>;
  /** What calls brought, for those after them. */
  readonly results: Map<string, Brought>;
}

/** Of files that no document is there for. */
const maxClosedFiles = 50;

/**
 * Outcomes of the calls of call files in this window: of the open ones, and of those that ran last.
 * VS Code drops documents that no editor shows after a while, as those of the Test Explorer.
 */
export class CallFileRuns implements vscode.Disposable {
  readonly #files = new Map<string, FileRuns>();
  /** Those without a document, the longest closed first. */
  readonly #closed = new Set<string>();
  readonly #subscription = vscode.Disposable.from(
    vscode.workspace.onDidOpenTextDocument(({ uri }) => this.#closed.delete(uri.toString())),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#close(uri)),
    vscode.workspace.onDidDeleteFiles(({ files }) => files.forEach((uri) => this.forget(uri))),
    // Another file may get the old name; its calls have brought nothing.
    vscode.workspace.onDidRenameFiles(({ files }) =>
      files.forEach(({ oldUri }) => this.forget(oldUri)),
    ),
  );

  readonly #onDidChange = new vscode.EventEmitter<vscode.Uri>();
  /** Something of this file is known that was not known before. */
  readonly onDidChange = this.#onDidChange.event;

  readonly #answers: CallAnswers;
  readonly #named = new WeakMap<CallFile['calls'], ReadonlySet<string>>();
  readonly #identify: (server: string) => string | undefined;

  /** `identify`: what tells the configuration of a server from others. Default: its id alone. */
  constructor(answers: CallAnswers, identify: (server: string) => string | undefined = (id) => id) {
    this.#answers = answers;
    this.#identify = identify;
  }

  /** Undefined also when the call is another one by now. */
  stateOf(uri: vscode.Uri, call: FileCall): RunState | undefined {
    const run = this.#files.get(uri.toString())?.runs.get(call.name);
    return run?.call === textOf(call) ? run.state : undefined;
  }

  /** What came in another environment is of servers and accounts that are none of this one's. */
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

  /** Whether that result came from this server, and the server is configured as it was then. */
  isResultOf(uri: vscode.Uri, name: string, server: string): boolean {
    const from = this.#files.get(uri.toString())?.results.get(name)?.server;
    return from !== undefined && from === this.#identify(server);
  }

  /** Which call of which call file this one was; a block of Markdown is none. */
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

  /** What a run brings that takes nothing from earlier ones, and leaves nothing to later ones. */
  ofRun(calls: readonly FileCall[]): RunAnswers {
    return this.#answers.ofRun(namedBy(calls));
  }

  setState(uri: vscode.Uri, call: FileCall, state: RunState): void {
    this.#of(uri).runs.set(call.name, { state: withoutAnswers(state), call: textOf(call) });
    this.#onDidChange.fire(uri);
  }

  /** What no call takes a value from now may be named by one that the user is about to write. */
  keptIn({ calls }: CallFile, { name }: FileCall): KeptIn {
    const named = this.#named.get(calls) ?? namedBy(calls);
    this.#named.set(calls, named);
    return named.has(name) ? 'disk' : 'memory';
  }

  /** Resolves when it has its place. `keptIn` is `disk` for what other calls take values from. */
  async setResult(
    uri: vscode.Uri,
    { name, server: id }: FileCall,
    result: ToolResult,
    { environment, keptIn }: { readonly environment: string | undefined; readonly keptIn: KeptIn },
  ): Promise<void> {
    const server = this.#identify(id);
    this.#of(uri).results.set(name, { server, environment });
    await this.#answers.set(answerKey(uri.toString(), name), result, keptIn);
  }

  /** The file is gone; a folder has all that is below it. */
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

  /** What was never a file is gone with its document. */
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
    // The Test Explorer may have run it so long that VS Code has dropped its document.
    const isOpen = ({ uri: open }: vscode.TextDocument): boolean => open.toString() === key;
    if (!vscode.workspace.textDocuments.some(isOpen)) this.#addClosed(key);
    return known;
  }
}

function textOf({ server, target, arguments: given, expect }: FileCall): string {
  return writeExactly(() => JSON.stringify([server, target, given, expect], patternAsText));
}

/** A pattern is nothing to JSON. */
function patternAsText(_: string, value: unknown): unknown {
  return value instanceof RegExp ? value.source : value;
}

function answerKey(file: string, name: string): string {
  return JSON.stringify([file, name]);
}

/** Sentences about a state need no text that may be all of an answer. */
function withoutAnswers(state: RunState): RunState {
  if (state.kind !== 'unmet') return state;
  return { ...state, failures: state.failures.map(withoutAnswer) };
}

/** A failure without both answers in whole. */
export function withoutAnswer(failure: Failure): Failure {
  const { code, pointer } = failure;
  return code === 'answer' ? { code, pointer } : failure;
}
