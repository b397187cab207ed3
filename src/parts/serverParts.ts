import * as vscode from 'vscode';
import type { AuthorizationParts } from './authorizationParts';
import type { ConsentParts } from './consentParts';
import type { SecretParts } from './secretParts';
import { ResourceParts } from './resourceParts';
import type { Results } from '../ui/results/results';
import type { SettingsReader } from '../ui/settings/settings';
import { ServerTreeParts, type ServerTreePartsOptions } from './serverTreeParts';
import { Diagnose } from '../ui/diagnosis/diagnose';
import { DevWatch } from '../ui/servers/devWatch';
import { registerServerCommands, type ServerCommandsOptions } from '../ui/servers/serverCommands';
import type { ServerProcesses } from '../ui/servers/serverProcesses';
import { StartWithWindow } from '../ui/servers/startWithWindow';

export interface ServerPartsOptions
  extends ServerCommandsOptions, Omit<ServerTreePartsOptions, 'pins' | 'processes' | 'resources'> {
  readonly context: vscode.ExtensionContext;
  readonly settings: SettingsReader;
  readonly processes: ServerProcesses;
  readonly secrets: SecretParts;
  readonly authorization: Pick<AuthorizationParts, 'signIns'>;
  readonly results: Pick<Results, 'resources'>;
  readonly consent: Pick<ConsentParts, 'pins' | 'serverTrust'>;
}

/** The view of servers, their commands, and what starts them without a command. */
export class ServerParts {
  readonly #options: ServerPartsOptions;

  constructor(options: ServerPartsOptions) {
    this.#options = options;
  }

  register(): vscode.Disposable {
    const options = this.#options;
    const { actions, consent } = options;
    const { pins, serverTrust } = consent;
    const processes = options.processes.forTree((id) => actions.start(id));
    const resources = new ResourceParts(options);
    return vscode.Disposable.from(
      new Diagnose({
        ...options,
        forRuns: {
          ...options.secrets.forRuns(),
          signInOf: (...server) => options.authorization.signIns.forDiagnosis(...server),
        },
        secretValues: options.secrets.values,
        trustQuestions: serverTrust.questions,
      }).register(),
      resources.register(),
      new ServerTreeParts({ ...options, pins, processes, resources: resources.lists }).register(),
      registerServerCommands(options),
      new StartWithWindow({ ...options, trust: serverTrust.trust }),
      new DevWatch({
        ...options,
        trust: serverTrust.trust,
        logOf: (config) => options.logs.of(config),
      }),
    );
  }
}
