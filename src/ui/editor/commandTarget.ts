import type { ConfigProblem } from '../../host/configuration/serverConfig';

/** The target of a command. It is not known to exist. */
export interface CommandTarget {
  readonly serverId?: string;
  readonly toolName?: string;
  /** URI of a resource. */
  readonly uri?: string;
  readonly uriTemplate?: string;
  readonly promptName?: string;
}

/** Second argument of a command that shows something without taking the focus. */
export const keepsFocus = 'keepsFocus';

/**
 * Parses the argument of a command: a tree row, the id of a server, or nothing if the command
 * palette or a view's title runs it.
 */
export function commandTarget(argument: unknown): CommandTarget {
  if (typeof argument === 'string') return { serverId: argument };
  const text = (key: string): string | undefined => {
    const value = property(argument, key);
    return typeof value === 'string' ? value : undefined;
  };
  const serverId = text('serverId');
  const toolName = text('toolName');
  const uri = text('uri');
  const uriTemplate = text('uriTemplate');
  const promptName = text('promptName');
  return {
    ...(serverId === undefined ? {} : { serverId }),
    ...(toolName === undefined ? {} : { toolName }),
    ...(uri === undefined ? {} : { uri }),
    ...(uriTemplate === undefined ? {} : { uriTemplate }),
    ...(promptName === undefined ? {} : { promptName }),
  };
}

/**
 * Returns the problem of a row. It must be one of the objects in `problems`, which proves where it
 * comes from.
 */
export function targetProblem(
  argument: unknown,
  problems: readonly ConfigProblem[],
): ConfigProblem | undefined {
  const target = property(property(argument, 'problem'), 'problem');
  return problems.find((problem) => problem === target);
}

function property(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

/** Returns the link target for a notification that runs a command with this argument. */
export function commandLink(command: string, argument: unknown): string {
  return `command:${command}?${encodeURIComponent(JSON.stringify([argument]))}`;
}
