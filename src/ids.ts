/**
 * Every string that also stands in `package.json`. The contract test holds the two against each
 * other, so a rename is one edit here and one there, and a forgotten one fails the build.
 */

export const extensionId = 'toolgate.toolgate';

/** URI scheme of result documents; read-only. */
export const scheme = 'toolgate';

/** URI scheme of the argument documents that a person edits before a call; writable, in memory. */
export const argumentsScheme = 'toolgate-arguments';

/** URI scheme of the read-only document that shows a call in full before it is decided on. */
export const reviewScheme = 'toolgate-review';

export const views = {
  servers: 'toolgate.servers',
} as const;

export const commands = {
  callTool: 'toolgate.tool.call',
  runArguments: 'toolgate.arguments.run',
  cancelArguments: 'toolgate.arguments.cancel',
  copyToolName: 'toolgate.tool.copyName',
  addServer: 'toolgate.server.add',
  addDemoServer: 'toolgate.demoServer.add',
  removeDemoServer: 'toolgate.demoServer.remove',
  startServer: 'toolgate.server.start',
  stopServer: 'toolgate.server.stop',
  restartServer: 'toolgate.server.restart',
  startAllServers: 'toolgate.servers.start',
  showServerLog: 'toolgate.server.showLog',
  openServerConfiguration: 'toolgate.configuration.open',
  refreshTools: 'toolgate.tools.refresh',
  filterTools: 'toolgate.tools.filter',
  clearFilter: 'toolgate.filter.clear',
} as const;

/** Behind links and lenses of result documents only; the manifest does not declare them. */
export const internalCommands = {
  openPart: 'toolgate.result.openPart',
  readLink: 'toolgate.result.readLink',
  openLinkInBrowser: 'toolgate.result.openLinkInBrowser',
} as const;

export type CommandId = (typeof commands)[keyof typeof commands];

export const settings = {
  section: 'toolgate',
  servers: 'servers',
  demoServer: 'demoServer.enabled',
  shareWorkspaceFolders: 'shareWorkspaceFolders',
  startTimeoutMs: 'startTimeoutMs',
  callTimeoutMs: 'callTimeoutMs',
  maxMessageBytes: 'maxMessageBytes',
  resultBudgetBytes: 'resultBudgetBytes',
} as const;

/** Keys of `when` clauses; `ui/contextKeys.ts` is the only writer. */
export const contextKeys = {
  hasServers: 'toolgate.hasServers',
  isFiltered: 'toolgate.isFiltered',
  isRestricted: 'toolgate.isRestricted',
} as const;

/** `viewItem` values of the tree, `<noun>.<state>`. */
export const contextValues = {
  serverStopped: 'server.stopped',
  serverStarting: 'server.starting',
  serverRunning: 'server.running',
  serverFailed: 'server.failed',
  tool: 'tool.callable',
  brokenTool: 'tool.broken',
  problem: 'problem',
} as const;

export const colors = {
  readOnly: 'toolgate.risk.readOnly',
  additive: 'toolgate.risk.additive',
  destructive: 'toolgate.risk.destructive',
  assumed: 'toolgate.risk.assumed',
} as const;

export const walkthrough = 'toolgate.start';
