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
 * The tool on whose row a command was run, or, without a row, the one that the person picks.
 * `undefined` when they pick none, or when the tool of the row is gone, which is said.
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
