import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ServerRegistry } from '../../../host/connections/registry';
import type { Server } from '../../../host/connections/snapshot';
import {
  parseLockFile,
  type LockFilePlace,
  type LockProblem,
} from '../../../host/consent/pins/lockFile';
import {
  lockEntryOf,
  lockServerChange,
  type LockEntry,
} from '../../../host/consent/pins/lockFileEdits';
import {
  lockMismatches,
  type FoundLockFile,
  type LockFiles,
  type LockMismatch,
} from '../../../host/consent/pins/lockFiles';
import type { ToolFingerprints } from '../../../host/consent/pins/pinDefinition';
import { lockFileName } from '../../../ids';
import { Debouncer } from '../../editor/debouncer';
import { problemAt, rangeOf, TextPlaces } from '../../editor/textPlaces';
import { quoted } from '../../format/sentences';

interface LockFileProblemsOptions {
  readonly registry: Pick<ServerRegistry, 'servers' | 'find' | 'onDidChange'>;
  readonly locks: Pick<LockFiles, 'found' | 'onDidChange' | 'speaksOf'>;
  readonly fingerprints: ToolFingerprints;
  /** Removes secrets from a text. */
  readonly redact: (text: string) => string;
}

/** A problem of one entry, with its server and tool. */
interface Entry {
  readonly diagnostic: vscode.Diagnostic;
  readonly serverId: string;
  readonly mismatch: LockMismatch;
}

/** More problems in one file would only hide each other. */
const maxEntries = 500;
const quietMs = 100;

/**
 * Shows where running servers and lock files differ: problems at the entries, each with a quick fix
 * that accepts the current tool.
 */
export class LockFileProblems implements vscode.CodeActionProvider, vscode.Disposable {
  readonly #options: LockFileProblemsOptions;
  readonly #collection = vscode.languages.createDiagnosticCollection(lockFileName);
  readonly #subscriptions: vscode.Disposable;
  /** Entries by the URI of the file. */
  #entries = new Map<string, readonly Entry[]>();
  readonly #quiet = new Debouncer(() => {
    this.#underWay = this.#underWay.then(() => this.#look());
  }, quietMs);
  #underWay: Promise<void> = Promise.resolve();
  #isDisposed = false;

  constructor(options: LockFileProblemsOptions) {
    this.#options = options;
    this.#subscriptions = vscode.Disposable.from(
      this.#collection,
      options.locks.onDidChange(() => this.#quiet.start()),
      options.registry.onDidChange(() => this.#quiet.start()),
      vscode.languages.registerCodeActionsProvider(
        { scheme: 'file', pattern: `**/${lockFileName}` },
        this,
        { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
      ),
    );
  }

  provideCodeActions(
    document: vscode.TextDocument,
    _range: vscode.Range,
    { diagnostics }: vscode.CodeActionContext,
  ): vscode.CodeAction[] {
    const entries = this.#entries.get(document.uri.toString()) ?? [];
    return diagnostics.flatMap((shown) => {
      const entry = entries.find(({ diagnostic }) => isSame(diagnostic, shown));
      const action = entry && this.#acceptAction(document, entry, shown);
      return action === undefined ? [] : [action];
    });
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#quiet.dispose();
    this.#subscriptions.dispose();
  }

  async #look(): Promise<void> {
    const entries = new Map<string, readonly Entry[]>();
    const all = new Map<string, vscode.Diagnostic[]>();
    for (const found of this.#options.locks.found) {
      const key = vscode.Uri.file(found.path).toString();
      const places = new TextPlaces(found.text);
      const own = await this.#entriesOf(found, places);
      entries.set(key, own);
      all.set(key, [...fileDiagnostics(found, places), ...own.map(({ diagnostic }) => diagnostic)]);
    }
    if (this.#isDisposed) return;
    this.#entries = entries;
    this.#collection.clear();
    for (const [key, diagnostics] of all) {
      this.#collection.set(vscode.Uri.parse(key), diagnostics);
    }
  }

  async #entriesOf(found: FoundLockFile, places: TextPlaces): Promise<Entry[]> {
    const { registry, locks, fingerprints } = this.#options;
    const entries: Entry[] = [];
    for (const server of registry.servers) {
      const { id } = server.config;
      const locked = found.lock.servers.get(id);
      if (locked === undefined || server.state.kind !== 'running') continue;
      if (!locks.speaksOf(found, server.config)) continue;
      const mismatches = await lockMismatches(locked, server.tools, fingerprints);
      for (const mismatch of mismatches.slice(0, maxEntries - entries.length)) {
        const diagnostic = toDiagnostic(places, mismatch.place, mismatchSentence(mismatch));
        entries.push({ diagnostic, serverId: id, mismatch });
      }
    }
    return entries;
  }

  #acceptAction(
    document: vscode.TextDocument,
    { serverId, mismatch }: Entry,
    diagnostic: vscode.Diagnostic,
  ): vscode.CodeAction | undefined {
    const server = this.#options.registry.find(serverId);
    const text = document.getText();
    const tools = this.#acceptedTools(text, serverId, mismatch, server);
    const change = tools && lockServerChange(text, serverId, tools);
    if (change === undefined) return undefined;
    const action = new vscode.CodeAction(
      mismatch.kind === 'gone'
        ? l10n.t('Accept the removal of tool “{0}”', quoted(mismatch.toolName))
        : l10n.t('Accept the current tool “{0}”', quoted(mismatch.toolName)),
      vscode.CodeActionKind.QuickFix,
    );
    action.diagnostics = [diagnostic];
    action.edit = new vscode.WorkspaceEdit();
    action.edit.replace(document.uri, rangeOf(document, change), change.text);
    return action;
  }

  /** Returns the server's tools as the file has them, with the current definition of this one. */
  #acceptedTools(
    text: string,
    serverId: string,
    { toolName }: LockMismatch,
    server: Server | undefined,
  ): ReadonlyMap<string, LockEntry> | undefined {
    if (server?.state.kind !== 'running') return undefined;
    const locked = parseLockFile(text).servers.get(serverId)?.tools;
    if (locked === undefined) return undefined;
    const { fingerprints, redact } = this.#options;
    const tools = new Map<string, LockEntry>();
    for (const [name, { fingerprint, definition }] of locked) {
      // An invalid fingerprint has a problem of its own and cannot be kept here.
      if (name !== toolName && fingerprint === undefined) return undefined;
      if (fingerprint !== undefined) tools.set(name, definition?.tool ?? fingerprint);
    }
    const hasDefinitions = [...locked.values()].some(({ definition }) => definition !== undefined);
    const now = server.tools.find(({ tool }) => tool.name === toolName && tool.callable);
    if (now === undefined) tools.delete(toolName);
    else if (hasDefinitions) tools.set(toolName, lockEntryOf(now.tool, redact));
    else tools.set(toolName, fingerprints.of(now.tool));
    return tools;
  }
}

function fileDiagnostics(
  { lock, failure }: FoundLockFile,
  places: TextPlaces,
): vscode.Diagnostic[] {
  const failures = failure === undefined ? [] : [lockFailureSentence(failure)];
  return [
    ...failures.map((sentence) => toDiagnostic(places, { offset: 0, length: 0 }, sentence)),
    ...lock.problems
      .slice(0, maxEntries)
      .map(({ code, place }) => toDiagnostic(places, place, lockProblemSentence(code))),
  ];
}

function toDiagnostic(
  places: TextPlaces,
  place: LockFilePlace,
  sentence: string,
): vscode.Diagnostic {
  return problemAt(places.range(place), sentence, undefined, vscode.DiagnosticSeverity.Warning);
}

function isSame(one: vscode.Diagnostic, other: vscode.Diagnostic): boolean {
  return one.message === other.message && one.range.isEqual(other.range);
}

/** Explains at the tool's entry in the lock file why its calls ask. */
function mismatchSentence({ kind, toolName }: LockMismatch): string {
  const tool = quoted(toolName);
  return {
    changed: l10n.t(
      'The running server has a different definition of “{0}”, so you are asked before calls.',
      tool,
    ),
    missing: l10n.t(
      'The running server has a tool “{0}” that is not listed here, so you are asked before calls.',
      tool,
    ),
    gone: l10n.t('The running server has no usable tool “{0}”.', tool),
  }[kind];
}

/** Explains what is wrong with a lock file, and what applies because of it. */
function lockProblemSentence(code: LockProblem['code']): string {
  return {
    notJson: l10n.t(
      'This is not valid JSON, so you are asked before calls to this folder’s servers.',
    ),
    wrongForm: l10n.t(
      'Not valid in a lock file ({0}). The tool counts as not reviewed, so you are asked before calls.',
      '{ "version": 1, "servers": { "<id>": { "tools": { "<name>": "sha256:<hex>" } } } }',
    ),
    otherVersion: l10n.t(
      'Unknown lock file version, so you are asked before calls to this folder’s servers. Update Toolgate.',
    ),
    notAFingerprint: l10n.t(
      'Use a definition, or “sha256:” with 64 hexadecimal digits. Until then, you are asked before calls.',
    ),
    duplicateKey: l10n.t('Duplicate name. Neither entry is used, so you are asked before calls.'),
  }[code];
}

/** The system could not read the file. */
function lockFailureSentence(failure: string): string {
  return l10n.t(
    'The lock file cannot be read, so you are asked before calls to this folder’s servers. Details: “{0}”',
    quoted(failure),
  );
}
