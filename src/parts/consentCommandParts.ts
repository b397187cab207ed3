import * as vscode from 'vscode';
import type { ServerRegistry } from '../host/connections/registry';
import { AuditJournal } from '../ui/journal/auditJournal';
import type { ServerActions } from '../ui/servers/serverActions';
import type { ConsentParts } from './consentParts';
import type { SecretParts } from './secretParts';
import { PermissionCommands } from '../ui/consent/permissions/permissionCommands';
import { GrantPermissions } from '../ui/consent/permissions/permissionGrants';
import { OverridePermissions } from '../ui/consent/permissions/permissionOverrides';
import { ServerPermissions } from '../ui/consent/permissions/permissionServers';
import { PinParts } from './pinParts';
import { RuleParts } from './ruleParts';
import { SetRiskCommand } from '../ui/consent/permissions/setRiskCommand';

export interface ConsentCommandPartsOptions {
  readonly consent: ConsentParts;
  readonly registry: ServerRegistry;
  readonly actions: ServerActions;
  readonly secrets: Pick<SecretParts, 'redact'>;
}

/** Everything that a person does about consent outside of a call, and what keeps it up to date. */
export class ConsentCommandParts {
  readonly #options: ConsentCommandPartsOptions;

  constructor(options: ConsentCommandPartsOptions) {
    this.#options = options;
  }

  register(): vscode.Disposable {
    const { consent, registry, actions, secrets } = this.#options;
    const redact = (text: string) => secrets.redact(text);
    const { grants, overrides, pins, rules, journal, lockFiles, serverTrust } = consent;
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
      new RuleParts({ book: rules, registry, pastCalls: () => journal.pastCalls() }).register(),
      auditJournal,
      auditJournal.register(),
      new PinParts({ registry, pins, lockFiles, redact }).register(),
      serverTrust.register(),
      new SetRiskCommand({ registry, actions, overrides }).register(),
      new PermissionCommands({
        sources: [
          new GrantPermissions(grants),
          new OverridePermissions(overrides),
          new ServerPermissions(serverTrust.trust),
        ],
      }).register(),
    );
  }
}
