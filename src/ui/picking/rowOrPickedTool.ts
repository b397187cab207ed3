import * as l10n from '@vscode/l10n';
import type { ServerRegistry } from '../../host/connections/registry';
import type { ToolEntry } from '../../host/connections/snapshot';
import { commandTarget } from '../editor/commandTarget';
import { tell } from '../editor/messages';
import { quoted } from '../format/sentences';
import { pickTool, type ToolPickerOptions } from './toolPicker';

export interface RowOrPickedToolOptions extends ToolPickerOptions {
  readonly registry: Pick<ServerRegistry, 'find' | 'servers'>;
}

/**
 * Returns the tool on whose row a command was run, or the tool that the user picks. Returns
 * `undefined` if the user picks none, or after a message if the tool no longer exists.
 */
export async function rowOrPickedTool(
  argument: unknown,
  options: RowOrPickedToolOptions,
): Promise<{ readonly entry: ToolEntry; readonly isFromTree: boolean } | undefined> {
  const { serverId, toolName } = commandTarget(argument);
  if (serverId === undefined || toolName === undefined) {
    const entry = await pickTool(options);
    return entry && { entry, isFromTree: false };
  }
  const tools = options.registry.find(serverId)?.tools ?? [];
  const entry = tools.find(({ tool }) => tool.callable && tool.name === toolName);
  if (entry !== undefined) return { entry, isFromTree: true };
  const sentence = l10n.t(
    '“{0}” no longer exists. Refresh the tools of its server.',
    quoted(toolName),
  );
  tell('warning', sentence);
  return undefined;
}
