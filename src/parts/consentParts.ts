import path from 'node:path';
import * as vscode from 'vscode';
import type { ConnectionLog } from '../core/log';
import { Consent } from '../host/consent/consent';
import { offeredGrants } from '../host/consent/grants/grantCover';
import { Grants } from '../host/consent/grants/grants';
import { RiskOverrides } from '../host/consent/grants/overrides';
import { Pins } from '../host/consent/pins/pins';
import { ToolFingerprints } from '../host/consent/pins/pinDefinition';
import { LockFiles } from '../host/consent/pins/lockFiles';
import { RuleBook } from '../host/consent/rules/ruleBook';
import { placeInWorkspace } from '../host/consent/rules/workspacePaths';
import type { ServerRegistry } from '../host/connections/registry';
import { CallRecorder, ConsentRecorder } from '../host/journal/callRecorder';
import { Journal } from '../host/journal/journal';
import type { SecretValues } from '../host/secrets/secretValues';
import { SharedChanges } from '../host/storage/sharedChanges';
import { lockFileName } from '../ids';
import { localFolderPaths } from '../ui/editor/localFolders';
import type { SettingsReader } from '../ui/settings/settings';
import { RulesFromCalls } from '../ui/consent/rules/rulePicker';
import {
  notifyJournalProblem,
  notifyStorageProblem,
} from '../ui/consent/permissions/storageProblems';
import { ServerTrust } from '../host/consent/trust/serverTrust';
import { ServerTrustQuestions, ServerTrustReviews } from '../ui/serverTrust/serverTrustQuestions';

export interface ConsentPartsOptions {
  readonly context: Pick<vscode.ExtensionContext, 'globalStorageUri' | 'storageUri'>;
  readonly settings: SettingsReader;
  readonly log: Pick<ConnectionLog, 'warn'>;
  /** The secrets in use, which must not be written. */
  readonly values: Pick<SecretValues, 'redact'>;
}

/**
 * Everything that decides whether a call is asked about, and its journal. Created together because
 * they share folders, fingerprints and settings. Reads nothing before it is needed.
 */
export class ConsentParts implements vscode.Disposable {
  readonly serverTrust: ServerTrust;
  readonly trustQuestions: ServerTrustQuestions;
  readonly trustReviews = new ServerTrustReviews();
  readonly grants: Grants;
  readonly overrides: RiskOverrides;
  readonly lockFiles: LockFiles;
  readonly pins: Pins;
  readonly skillPins: Pins;
  readonly rules: RuleBook;
  readonly journal: Journal;
  readonly recorder: CallRecorder;
  /** Records what the user permits, beside the calls. */
  readonly acts: ConsentRecorder;
  readonly consent: Consent;
  readonly rulesFromCalls: RulesFromCalls;

  #registry: Pick<ServerRegistry, 'servers'> | undefined;

  constructor({ context, settings, log, values }: ConsentPartsOptions) {
    const servers = () => this.#registry?.servers ?? [];
    const onProblem = notifyStorageProblem(log);
    const globalStorage = context.globalStorageUri.fsPath;
    const workspaceStorage = context.storageUri?.fsPath;
    this.journal = new Journal({
      folder: path.join(globalStorage, 'journal'),
      limits: () => ({
        retentionDays: settings.current.journalRetentionDays,
        maxBytes: settings.current.journalMaxBytes,
      }),
      onProblem: notifyJournalProblem(log),
    });
    const acts = new ConsentRecorder(this.journal);
    this.acts = acts;
    this.serverTrust = new ServerTrust({
      folder: path.join(globalStorage, 'serverTrust'),
      onAct: (act) => acts.trust(act),
      // A problem is only logged, because its consequence is a question, which the user sees.
      onProblem: ({ file, code, setAsideAs, detail }) => {
        const aside = setAsideAs === undefined ? '' : `, kept as ${setAsideAs}`;
        log.warn(`server trust: ${file}: ${code}${aside} (${detail})`);
      },
    });
    this.trustQuestions = new ServerTrustQuestions(
      this.serverTrust,
      this.trustReviews,
      (serverId) => this.rules.allowsFor(serverId),
    );
    const fingerprints = new ToolFingerprints();
    const changes = new SharedChanges(path.join(globalStorage, 'changes'));
    const kept = {
      changes,
      globalStorage,
      ...(workspaceStorage === undefined ? {} : { workspaceStorage }),
      onProblem,
      servers,
    };
    const allowsBroadDestructive = (): boolean => settings.current.allowsBroadDestructiveGrants;
    this.grants = new Grants({
      ...kept,
      allowsBroadDestructive,
      fingerprints,
      onAct: (action, grant) => acts.grant(action, grant),
    });
    this.overrides = new RiskOverrides({
      ...kept,
      onAct: (action, record) => acts.override(action, record),
    });
    this.lockFiles = new LockFiles({
      fileName: lockFileName,
      folders: trustedFolders,
    });
    this.pins = new Pins({
      folder: path.join(globalStorage, 'pins'),
      onProblem,
      lock: this.lockFiles,
      fingerprints,
      changes,
      onAccept: (...accepted) => acts.pin('tool', ...accepted),
    });
    const folder = path.join(globalStorage, 'skill-pins');
    this.skillPins = new Pins({
      folder,
      onProblem,
      changes,
      onAccept: (...accepted) => acts.pin('skill', ...accepted),
    });
    this.rules = new RuleBook({
      placeOfPath: (text, cwd) => placeInWorkspace(text, localFolderPaths(), cwd),
    });
    const redact = (text: string): string => values.redact(text);
    this.rulesFromCalls = new RulesFromCalls({ book: this.rules, redact });
    this.recorder = new CallRecorder({
      journal: this.journal,
      recordsArguments: () => settings.current.recordsArguments,
      isRequired: () => settings.current.requiresJournal,
      redact,
    });
    this.consent = new Consent({
      rules: this.rules,
      grants: this.grants,
      pins: this.pins,
      overrides: this.overrides,
      changes,
      offeredGrants: (facts, isAskedByRule) =>
        offeredGrants(facts, {
          allowBroadDestructive: allowsBroadDestructive(),
          hasWorkspace: workspaceStorage !== undefined,
          isAskedByRule,
        }),
      toolsOf: (id) => servers().find(({ config }) => config.id === id)?.tools ?? [],
      onProblem: (error) => log.warn(String(error)),
    });
  }

  /** Provides the tools of these servers for decisions. */
  follow(registry: Pick<ServerRegistry, 'servers'>): void {
    this.#registry = registry;
  }

  dispose(): void {
    const { grants, overrides, lockFiles, pins, skillPins, rules } = this;
    for (const part of [grants, overrides, lockFiles, pins, skillPins, rules]) part.dispose();
    this.trustReviews.dispose();
    this.serverTrust.dispose();
    this.journal.dispose();
  }
}

function trustedFolders(): readonly string[] {
  return vscode.workspace.isTrusted ? localFolderPaths() : [];
}
