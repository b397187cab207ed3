import type { CancellationToken } from 'vscode-jsonrpc/node';
import type { ConnectionLog } from '../../core/log';
import type { Risk } from '../../core/risk';
import type { Tool } from '../../core/types';
import type { Disabled } from '../configuration/disabledItems';
import type { TaskChoices } from '../configuration/taskChoices';
import type { InputValues } from '../configuration/inputs';
import type { ServerConfig } from '../configuration/serverConfig';
import type { CrashRestartPolicy } from '../processes/crashRestarts';
import type { HoldSecrets } from '../secrets/configuredSecrets';
import type { Redact } from '../secrets/redactedError';
import type { SignInStates } from '../authorization/signInState';
import type { Connect } from './connection';

export interface RegistryOptions {
  readonly connect: Connect;
  /** Nothing starts while this says no. */
  readonly isTrusted: () => boolean;
  /**
   * Asked before each start, and nothing runs before it says yes. Cancelled when the start is, or
   * when the configuration changed meanwhile: its answer then means nothing.
   */
  readonly approve: (config: ServerConfig, token: CancellationToken) => Promise<boolean>;
  readonly logOf: (serverId: string) => ConnectionLog;
  /** Who knows what inputs stand for; asked after a yes. Default: nobody, and such a server fails. */
  readonly inputs?: InputValues;
  /** When processes that end by themselves are started again. Default: never. */
  readonly restarts?: CrashRestartPolicy;
  /** What the person has switched off; it does not start. Default: nothing. */
  readonly disabled?: Disabled;
  /** Which tools run as tasks that need not. Default: none. */
  readonly taskChoices?: Pick<TaskChoices, 'runsAsTask'>;
  /** How far the sign-in at each server is. Default: none wants one. */
  readonly signIns?: Pick<SignInStates, 'of'>;
  /** Whose messages are written down. Default: nobody's. */
  readonly recordings?: { isRecording(id: string): boolean };
  /** The effective risk of a tool. Default: what the server says. */
  readonly riskOf?: (config: ServerConfig, tool: Tool) => Risk;
  /** Makes the secrets of a configuration known for a run, before it begins. Default: nothing is one. */
  readonly holdSecrets?: HoldSecrets;
  /** Takes secrets out of what errors repeat of servers. Default: nothing is one. */
  readonly redact?: Redact;
}
