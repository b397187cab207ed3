import * as l10n from '@vscode/l10n';
import type { JsonObject } from '../../core/json/jsonValue';
import type { Gate } from '../../host/calls/gate';
import type { ServerRegistry } from '../../host/connections/registry';
import type { CallTarget } from '../arguments/argumentDocuments';
import { confirmUnlessNamed } from '../editor/ownArguments';
import { quoted } from '../format/sentences';

export interface UserCallOptions {
  readonly gate: Pick<Gate, 'preview'>;
  readonly registry: Pick<ServerRegistry, 'find'>;
}

/**
 * Returns true if the arguments in the active editor are to be used, although the caller did not
 * name their document. The gate asks about most calls anyway, and that question is enough. This
 * function asks about calls that rules or permissions let pass, and about arguments that a caller
 * waits for (`isAnswer`).
 */
export async function isUserCall(
  options: UserCallOptions,
  target: CallTarget,
  value: JsonObject,
  isAnswer: boolean,
): Promise<boolean> {
  if (!isAnswer && (await isAskedAnyway(options, target, value))) return true;
  const { toolName, serverId } = target;
  const label = options.registry.find(serverId)?.config.label ?? serverId;
  const [tool, server] = [quoted(toolName), quoted(label)];
  return confirmUnlessNamed({
    isNamed: false,
    question: isAnswer
      ? l10n.t('Use these arguments for “{0}” on “{1}”?', tool, server)
      : l10n.t('Run “{0}” on “{1}” with these arguments?', tool, server),
    yes: isAnswer ? l10n.t('Use') : l10n.t('Run'),
  });
}

async function isAskedAnyway(
  { gate }: UserCallOptions,
  { serverId, toolName, origin }: CallTarget,
  value: JsonObject,
): Promise<boolean> {
  const request = { server: serverId, tool: toolName, arguments: value, origin };
  try {
    return (await gate.preview(request)).decision.effect !== 'allow';
  } catch {
    // The decision cannot be previewed now, and the call might be allowed a moment later.
    return false;
  }
}
