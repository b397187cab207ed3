/**
 * Where the wish to call came from; it stands in the dialog and later in the journal. `command` is a command of the editor that anybody may have run: a link, a key, a task, another
 * extension. `api` is another extension through ours, `commandLine` the program without an editor.
 */
export const callOrigins = [
  'palette',
  'tree',
  'file',
  'history',
  'command',
  'api',
  'commandLine',
] as const;
export type CallOrigin = (typeof callOrigins)[number];

/** Whether the person has just pressed for it themselves, as far as anybody can know. */
export function isByHand(origin: CallOrigin): boolean {
  return origin !== 'command' && origin !== 'api';
}
