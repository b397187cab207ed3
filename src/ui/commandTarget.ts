/** What a command is to act on; nothing of it is known to exist. */
export interface CommandTarget {
  readonly serverId?: string;
  readonly toolName?: string;
}

/**
 * What a command was called with: a row of the tree, the id of a server, or, from the palette and
 * from a view's title, nothing.
 */
export function commandTarget(argument: unknown): CommandTarget {
  if (typeof argument === 'string') return { serverId: argument };
  if (typeof argument !== 'object' || argument === null) return {};
  const text = (key: string): string | undefined => {
    const value: unknown = Reflect.get(argument, key);
    return typeof value === 'string' ? value : undefined;
  };
  const serverId = text('serverId');
  const toolName = text('toolName');
  return {
    ...(serverId === undefined ? {} : { serverId }),
    ...(toolName === undefined ? {} : { toolName }),
  };
}
