/**
 * The origin of a call; shown in the dialog and recorded in the journal. `command` is an editor
 * command that anything may have run: a link, a keybinding, a task, another extension. `api` is
 * another extension through our API, `commandLine` the program without an editor, and `agent` an
 * external program that uses the agents' endpoint.
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

/** Returns true if the user requested the call directly, as far as can be known. */
export function isFromUser(origin: CallOrigin): boolean {
  return requesterOf(origin) === 'person';
}

/** Kinds of callers that rules and permissions distinguish. */
export const requesters = ['person', 'extension', 'agent'] as const;
export type Requester = (typeof requesters)[number];

/** An unknown origin of a newer version counts as an extension. */
export function requesterOf(origin: string): Requester {
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
