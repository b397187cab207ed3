import * as vscode from 'vscode';
import { isMcpError } from '../../core/errors';
import type { Programs } from '../../core/stdio/programs';
import { entryPath } from '../../host/configuration/configurationFormats';
import type { ConfigProblem, ServerConfig } from '../../host/configuration/serverConfig';

/**
 * Finds programs of configuration files that do not exist or are not in the usual directories.
 * Returns at most one problem for each server. Starts no program, and does nothing in an untrusted
 * workspace.
 */
export async function missingPrograms(
  servers: readonly ServerConfig[],
  programs: Pick<Programs, 'find'>,
): Promise<readonly ConfigProblem[]> {
  const problems: ConfigProblem[] = [];
  for (const config of servers) {
    if (!vscode.workspace.isTrusted) return [];
    const problem = await problemOf(config, programs);
    if (problem !== undefined) problems.push(problem);
  }
  return problems;
}

async function problemOf(
  { id, source, transport }: ServerConfig,
  programs: Pick<Programs, 'find'>,
): Promise<ConfigProblem | undefined> {
  if (transport.kind !== 'stdio' || !('path' in source)) return undefined;
  if (transport.recording !== undefined) return undefined;
  const { command } = transport;
  // The values of inputs are unknown here, so such a command is not checked.
  if (command === '' || command.includes('${') || transport.cwd?.includes('${')) return undefined;
  const path = [...entryPath(source, id), 'command'];
  const common = { source, server: id, path, fatal: false } as const;
  try {
    const { file, foundBy } = await programs.find(transport);
    const isHere = foundBy === 'given' || foundBy === 'path';
    return isHere ? undefined : { ...common, code: 'programElsewhere', detail: file };
  } catch (error) {
    if (!isMcpError(error, 'programNotFound')) return undefined;
    return { ...common, code: 'programMissing', detail: command };
  }
}
