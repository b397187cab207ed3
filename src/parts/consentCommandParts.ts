import * as vscode from 'vscode';
import type { ServerRegistry } from '../host/connections/registry';
import { AuditJournal } from '../ui/journal/auditJournal';
import type { ServerActions } from '../ui/servers/serverActions';
import type { ConsentParts } from './consentParts';
import type { SecretParts } from './secretParts';
import { PermissionCommands } from '../ui/consent/permissions/permissionCommands';
import {
  grantPermissions,
  overridePermissions,
  serverPermissions,
} from '../ui/consent/permissions/permissions';
import { registerSetRisk } from '../ui/consent/permissions/setRiskCommand';
import type { SkillPins } from '../host/resources/skillPins';
import {
  registerLockFileCommands,
  LockFileWatcher,
} from '../ui/consent/toolChanges/lockFileCommands';
import { LockFileProblems } from '../ui/consent/toolChanges/lockFileProblems';
import { registerToolChangeCommands } from '../ui/consent/toolChanges/toolChangeCommands';
import { registerToolChangeDecorations } from '../ui/tree/rowDecorations';
import { ToolChangeDocuments } from '../ui/consent/toolChanges/toolChangeDocuments';
import { commands } from '../ids';
import { RuleSettings } from '../ui/settings/settings';
import { RuleCompletions } from '../ui/consent/rules/ruleCompletions';
import { showRuleProblems } from '../ui/consent/rules/ruleDiagnostics';
import { ruleDocumentSelector } from '../ui/consent/rules/ruleDocuments';
import { RuleTrial, openRules, rulesLenses } from '../ui/consent/rules/ruleTrial';
import { registerCodeLenses } from '../ui/editor/codeLenses';

export interface ConsentCommandPartsOptions {
  readonly consent: ConsentParts;
  readonly registry: ServerRegistry;
  readonly actions: ServerActions;
  readonly secrets: Pick<SecretParts, 'redact'>;
  readonly skills: SkillPins;
}

/** Registers the commands about consent outside of calls, and their updates. */
export function registerConsentCommands(options: ConsentCommandPartsOptions): vscode.Disposable {
  const { consent, registry, actions } = options;
  const { grants, overrides, pins, journal, serverTrust, trustReviews } = consent;
  const auditJournal = new AuditJournal({ journal });
  void overrides.refresh();
  return vscode.Disposable.from(
    overrides.onDidChange(() => registry.reassessRisks()),
    registry.onDidChange((change) => {
      const changed = change.kind === 'servers' ? undefined : registry.find(change.id);
      for (const server of changed === undefined ? registry.servers : [changed]) {
        void pins.observe(server);
      }
    }),
    registerRules(options),
    auditJournal,
    auditJournal.register(),
    registerPins(options),
    trustReviews.register(),
    registerSetRisk({ registry, actions, overrides }),
    new PermissionCommands({
      sources: [
        grantPermissions(grants),
        overridePermissions(overrides),
        serverPermissions(serverTrust),
      ],
    }).register(),
  );
}

/** Registers the views and commands of pins and lock files. */
function registerPins(options: ConsentCommandPartsOptions): vscode.Disposable {
  const { consent, registry, secrets, skills } = options;
  const { pins, lockFiles } = consent;
  const { fingerprints } = pins;
  const redact = (text: string) => secrets.redact(text);
  const documents = new ToolChangeDocuments();
  return vscode.Disposable.from(
    documents,
    registerToolChangeDecorations(),
    // A change that was accepted in another window needs no attention here.
    vscode.window.onDidChangeWindowState(({ focused }) => {
      if (focused) for (const each of [pins, skills.pins]) void each.refresh();
    }),
    new LockFileProblems({ registry, locks: lockFiles, fingerprints, redact }),
    new LockFileWatcher(lockFiles),
    registerToolChangeCommands({ registry, pins, skills, documents }),
    registerLockFileCommands({ registry, pins, fingerprints, redact }),
  );
}

/**
 * Applies the rules of the settings from now on, keeps them up to date, and checks them in the
 * settings editor.
 */
function registerRules({ consent, registry }: ConsentCommandPartsOptions): vscode.Disposable {
  const { rules: book, journal } = consent;
  const trial = new RuleTrial({ book, pastCalls: () => journal.pastCalls() });
  const register = vscode.commands.registerCommand;
  return vscode.Disposable.from(
    new RuleSettings((sources) => book.setRules(sources)),
    showRuleProblems(registry, book),
    trial,
    register(commands.openRules, openRules),
    register(commands.tryRules, (uri: unknown) => trial.run(uri)),
    registerCodeLenses(ruleDocumentSelector, { provideCodeLenses: rulesLenses }),
    vscode.languages.registerCompletionItemProvider(
      ruleDocumentSelector,
      new RuleCompletions(registry),
      '"',
    ),
  );
}
