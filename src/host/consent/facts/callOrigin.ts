/**
 * Where the wish to call came from; it stands in the dialog and later in the journal. `command` is a
 * command of the editor that anybody may have run: a link, a key, a task, another extension. `api` is
 * another extension through ours, `commandLine` the program without an editor, and `agent` a program
 * outside that came through the endpoint for agents.
 */
export const callOrigins = [
  'palette',
  'tree',
  'file',
  'history',
  'command',
  'api',
  'commandLine',
  'agent',
] as const;
export type CallOrigin = (typeof callOrigins)[number];

/** Whether the person has just pressed for it themselves, as far as anybody can know. */
export function isByHand(origin: CallOrigin): boolean {
  return askerOf(origin) === 'person';
}

/** Who wants a call, as far as rules and permissions tell callers apart. */
export const askers = ['person', 'extension', 'agent'] as const;
export type Asker = (typeof askers)[number];

/** An origin that a newer version wrote down is of others. */
export function askerOf(origin: string): Asker {
  switch (origin) {
    case 'palette':
    case 'tree':
    case 'file':
    case 'history':
      return 'person';
    case 'agent':
      return 'agent';
    default:
      return 'extension';
  }
}
