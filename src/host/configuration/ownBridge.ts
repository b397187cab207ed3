import type { StdioServerTransport } from './serverConfig';

/**
 * The bridge where the extension keeps it, or where any version of it was installed, also inside a
 * line for a shell.
 */
const bridgeFile =
  /(?:^|[\\/"'\s])toolgate\.toolgate(?:-[^\\/"'\s]+)?[\\/]+(?:agents|dist)[\\/]+gateway\.js(?=$|["'\s])/i;

/**
 * Whether a server is the bridge by which agents reach Toolgate: its tools are those of all other
 * servers, and who calls one calls Toolgate. What has another name is turned away by the window.
 */
export function isOwnBridge({
  command = '',
  args = [],
}: Partial<Pick<StdioServerTransport, 'command' | 'args'>>): boolean {
  return [command, ...args].some((text) => bridgeFile.test(text));
}
