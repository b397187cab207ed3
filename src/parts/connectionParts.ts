import type * as vscode from 'vscode';
import type { ConnectionLog } from '../core/log';
import type { SchemaValidator } from '../core/schema/schema';
import type { Connect } from '../host/connections/connection';
import { connectServer, KnownEras } from '../host/connections/connectServer';
import type { ClientProfiles } from '../host/configuration/clientProfiles';
import type { RunningCalls } from '../host/calls/runningCalls';
import { withWrittenAnswers } from '../host/calls/writtenAnswers';
import { clientInfoOf } from '../ui/clientInfo';
import { Elicitations } from '../ui/elicitation/elicitations';
import type { ServerProcesses } from '../ui/servers/serverProcesses';
import type { SettingsReader } from '../ui/settings/settings';
import { programOf } from './recordingParts';
import { withWorkspaceRoots } from '../ui/editor/localFolders';
import type { AuthorizationParts } from './authorizationParts';

export interface ConnectionPartsOptions {
  readonly context: vscode.ExtensionContext;
  readonly processes: ServerProcesses;
  readonly settings: SettingsReader;
  readonly validator: SchemaValidator;
  readonly authorization: Pick<AuthorizationParts, 'signIns'>;
  readonly logOf: (serverId: string) => ConnectionLog;
  readonly running: Pick<RunningCalls, 'running' | 'ofTask'>;
  readonly profiles: Pick<ClientProfiles, 'of'>;
}

/**
 * Returns how servers are connected in this window: their requests to the user, and their sign-in.
 */
export function connectionParts(options: ConnectionPartsOptions): Connect {
  const { context, processes, settings, validator, authorization, logOf, running, profiles } =
    options;
  const elicitations = new Elicitations({
    validator,
    callOfTask: (...task) => running.ofTask(...task),
  });
  return connectServer({
    clientInfo: clientInfoOf(context),
    profileOf: (config) => profiles.of(config),
    replayProgram: programOf(context),
    processes: processes.live,
    programs: processes.programs,
    logOf,
    knownEras: new KnownEras(context.globalState),
    inputOf: ({ id, label }) => {
      const person = elicitations.handlerFor({ id, label, log: logOf(id) });
      const handler = withWorkspaceRoots(person, settings);
      return withWrittenAnswers(handler, id, { calls: running, validator });
    },
    authorizationOf: (...server) => authorization.signIns.authorizationFor(...server),
    limits: () => settings.current,
  });
}
