/** The target of a link in a notification of ours that runs a command with this. */
export function commandLink(command: string, argument: unknown): string {
  return `command:${command}?${encodeURIComponent(JSON.stringify([argument]))}`;
}
