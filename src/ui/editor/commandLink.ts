/** Returns the link target for a notification that runs a command with this argument. */
export function commandLink(command: string, argument: unknown): string {
  return `command:${command}?${encodeURIComponent(JSON.stringify([argument]))}`;
}
