import type { ConfigProblem } from '../../host/configuration/serverConfig';

/** What a command is to act on; nothing of it is known to exist. */
export interface CommandTarget {
  readonly serverId?: string;
  readonly toolName?: string;
  /** Of a resource. */
  readonly uri?: string;
  readonly uriTemplate?: string;
}

/** As the second argument of a command that shows something: the focus stays where it is. */
export const keepsFocus = 'keepsFocus';

/**
 * What a command was called with: a row of the tree, the id of a server, or, from the palette and
 * from a view's title, nothing.
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
  return {
    ...(serverId === undefined ? {} : { serverId }),
    ...(toolName === undefined ? {} : { toolName }),
    ...(uri === undefined ? {} : { uri }),
    ...(uriTemplate === undefined ? {} : { uriTemplate }),
  };
}

/** The one of `problems` that a row is about; being the same object proves what it is. */
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
