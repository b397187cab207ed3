// Every string that also occurs in `package.json`, which is generated from this file and the
// folder `src/manifest`.

export const extensionId = 'toolgate.toolgate';
/** URI scheme of result documents; read-only. */
export const scheme = 'toolgate';
/** URI scheme of the argument documents that the user edits before a call; writable, in memory. */
export const argumentsScheme = 'toolgate-arguments';
/** URI scheme of the schemas for argument documents, one for each slot. */
export const schemaScheme = 'toolgate-schema';
/** Number of argument documents that can have a schema at once. The manifest names each slot. */
export const argumentSlots = 20;
/** URI scheme of the read-only document that shows a call in full before the decision. */
export const reviewScheme = 'toolgate-review';
/** URI scheme of read-only tool definitions, before and after a change, for the diff. */
export const definitionScheme = 'toolgate-definition';
/** Authority of the URIs that name a tool, whose definition is shown as it is now. */
export const toolAuthority = 'tool';
/** URI scheme of a server's launch configuration, before and after a change, for the diff. */
export const trustScheme = 'toolgate-trust';
/** URI scheme of the audit journal and of the results of its verification. */
export const journalScheme = 'toolgate-journal';
/** URI scheme of recordings as documents, and the custom editor that opens them. */
export const recordingScheme = 'toolgate-recording';
export const recordingEditor = 'mcprecord';
/** The page that shows an answer or a tool, as a custom editor of its overview or definition. */
export const answerEditor = 'mcpanswer';
/** URI scheme of what edited rules would have decided about past calls. */
export const rulesScheme = 'toolgate-rules';
/** URI scheme of the schemas of call files. The manifest appends the path. */
export const callFileScheme = 'toolgate-callfile';
export const callFileSchemaPath = '/format.json';
/** URI schemes of the question about all calls of a call file, and of their results. */
export const runAllScheme = 'toolgate-runall';
export const reportScheme = 'toolgate-report';
/** URI scheme of a configuration file before and after a change, for the diff. */
export const addingScheme = 'toolgate-adding';
/** URI scheme of the schema of `.mcp.json`. */
export const sharedFileSchemaScheme = 'toolgate-mcp';

/** File extension of call files. */
export const callFileExtension = '.mcpcall';
/** URI scheme of compared results; read-only. */
export const comparisonScheme = 'toolgate-comparison';
/** URI scheme of the document of Diagnose Server, which grows. */
export const diagnosisScheme = 'toolgate-diagnosis';

/** Language of read-only documents of sentences. The manifest sets how they are displayed. */
export const textLanguage = 'mcptext';
/** Language of texts with very many links, in which the editor detects none. */
export const linklessLanguage = 'toolgate-linkless';

/** File of reviewed definitions, in the root of a workspace folder. */
export const lockFileName = 'toolgate.lock.json';

export const views = {
  servers: 'toolgate.servers',
  activity: 'toolgate.activity',
  callFiles: 'toolgate.callFiles',
} as const;

export const commands = {
  callTool: 'toolgate.tool.call',
  runArguments: 'toolgate.arguments.run',
  cancelArguments: 'toolgate.arguments.cancel',
  enterStepByStep: 'toolgate.arguments.enterStepByStep',
  sendToTool: 'toolgate.editor.sendToTool',
  editCallArguments: 'toolgate.review.editArguments',
  allowCalls: 'toolgate.review.allow',
  cancelCall: 'toolgate.call.cancel',
  waitLonger: 'toolgate.call.waitLonger',
  cancelTask: 'toolgate.task.cancel',
  answerTask: 'toolgate.task.answer',
  hideTask: 'toolgate.task.hide',
  listTasks: 'toolgate.task.list',
  openCallResult: 'toolgate.call.openResult',
  showOverview: 'toolgate.result.showOverview',
  openFullResult: 'toolgate.result.openFull',
  saveResult: 'toolgate.result.saveAs',
  saveAllOfResult: 'toolgate.result.saveAll',
  compareResultFiles: 'toolgate.result.compare',
  copyResult: 'toolgate.result.copy',
  filterResult: 'toolgate.result.filter',
  showPreview: 'toolgate.result.showPreview',
  showJson: 'toolgate.result.showJson',
  showTable: 'toolgate.result.showTable',
  runAgain: 'toolgate.call.runAgain',
  repeatLastCall: 'toolgate.call.repeatLast',
  runAgainWithChanges: 'toolgate.call.runAgainWithChanges',
  saveCall: 'toolgate.call.saveAsFile',
  addToFile: 'toolgate.call.addToFile',
  copyPastCallAs: 'toolgate.call.copyAs',
  compareResults: 'toolgate.call.compare',
  ignoreVolatileFields: 'toolgate.comparison.ignoreVolatileFields',
  showVolatileFields: 'toolgate.comparison.showVolatileFields',
  removeCalls: 'toolgate.call.remove',
  clearHistory: 'toolgate.history.clear',
  openCallFile: 'toolgate.callFile.open',
  newCallFile: 'toolgate.callFile.new',
  runFileCall: 'toolgate.callFile.run',
  runCallFile: 'toolgate.callFile.runAll',
  runChecked: 'toolgate.callFile.runChecked',
  cancelRunAll: 'toolgate.callFile.cancelRunAll',
  toggleFileCall: 'toolgate.callFile.toggleCall',
  copyCallAs: 'toolgate.callFile.copyAs',
  expectAnswer: 'toolgate.call.expectAnswer',
  acceptAnswer: 'toolgate.tests.acceptAnswer',
  showExercisedTools: 'toolgate.tests.showTools',
  selectEnvironment: 'toolgate.environment.select',
  copyToolName: 'toolgate.tool.copyName',
  showDefinition: 'toolgate.tool.showDefinition',
  openApp: 'toolgate.tool.openApp',
  showKeyboardHelp: 'toolgate.help.keyboard',
  openWalkthrough: 'toolgate.help.walkthrough',
  setRisk: 'toolgate.tool.setRisk',
  showToolChanges: 'toolgate.tool.showChanges',
  acceptToolChanges: 'toolgate.tools.acceptChanges',
  writeLockFile: 'toolgate.lockFile.write',
  managePermissions: 'toolgate.permissions.manage',
  forgetPermissions: 'toolgate.permissions.forgetAll',
  openRules: 'toolgate.rules.open',
  tryRules: 'toolgate.rules.try',
  showJournal: 'toolgate.journal.show',
  filterJournal: 'toolgate.journal.filter',
  verifyJournal: 'toolgate.journal.verify',
  exposeToAgents: 'toolgate.agents.expose',
  copyAgentConfiguration: 'toolgate.agents.copyConfiguration',
  cutOffAgents: 'toolgate.agents.cutOff',
  selectToolSet: 'toolgate.toolSet.select',
  setForAgents: 'toolgate.tool.setForAgents',
  answerAgents: 'toolgate.agents.answerAll',
  runDraft: 'toolgate.call.runDraft',
  manageSecrets: 'toolgate.secrets.manage',
  openResource: 'toolgate.resource.open',
  openTemplate: 'toolgate.resource.openTemplate',
  readAgain: 'toolgate.resource.readAgain',
  copyResourceUri: 'toolgate.resource.copyUri',
  refreshResources: 'toolgate.resources.refresh',
  openPrompt: 'toolgate.prompt.open',
  openPromptInChat: 'toolgate.prompt.openInChat',
  refreshPrompts: 'toolgate.prompts.refresh',
  openSkill: 'toolgate.skill.open',
  openSkillFile: 'toolgate.skill.openFile',
  refreshSkills: 'toolgate.skills.refresh',
  addServer: 'toolgate.server.add',
  moveServer: 'toolgate.server.move',
  moveAllServers: 'toolgate.servers.moveAll',
  importServers: 'toolgate.servers.import',
  writeServers: 'toolgate.adding.write',
  cancelAdding: 'toolgate.adding.cancel',
  startReviewed: 'toolgate.serverTrust.start',
  cancelReviewed: 'toolgate.serverTrust.cancel',
  addDemoServer: 'toolgate.demoServer.add',
  removeDemoServer: 'toolgate.demoServer.remove',
  enableServer: 'toolgate.server.enable',
  disableServer: 'toolgate.server.disable',
  enableTool: 'toolgate.tool.enable',
  disableTool: 'toolgate.tool.disable',
  runAsTask: 'toolgate.tool.runAsTask',
  runDirectly: 'toolgate.tool.runDirectly',
  startServer: 'toolgate.server.start',
  connectServer: 'toolgate.server.connect',
  stopServer: 'toolgate.server.stop',
  restartServer: 'toolgate.server.restart',
  connectAs: 'toolgate.server.connectAs',
  restartOnSave: 'toolgate.server.restartOnSave',
  stopRestartOnSave: 'toolgate.server.stopRestartOnSave',
  startAllServers: 'toolgate.servers.start',
  recordServer: 'toolgate.server.record',
  stopRecording: 'toolgate.server.stopRecording',
  replayRecording: 'toolgate.recording.replay',
  removeReplay: 'toolgate.recording.remove',
  openRecording: 'toolgate.recording.open',
  showServerLog: 'toolgate.server.showLog',
  diagnoseServer: 'toolgate.server.diagnose',
  copyReport: 'toolgate.report.copy',
  openServerConfiguration: 'toolgate.configuration.open',
  refreshTools: 'toolgate.tools.refresh',
  filterTools: 'toolgate.tools.filter',
  clearFilter: 'toolgate.filter.clear',
  signIn: 'toolgate.signIn.start',
  cancelSignIn: 'toolgate.signIn.cancel',
  signOut: 'toolgate.signIn.signOut',
  switchAccount: 'toolgate.signIn.switchAccount',
  useClientId: 'toolgate.signIn.useClientId',
  forgetClient: 'toolgate.signIn.forgetClient',
  showAuthorization: 'toolgate.signIn.showDetails',
} as const;

/**
 * Commands behind rows, keys, links and lenses of documents. The manifest does not declare them.
 */
export const internalCommands = {
  pressTool: 'toolgate.tool.press',
  enterBegins: 'toolgate.tree.enterBegins',
  enterEnds: 'toolgate.tree.enterEnds',
  copyDiagnosis: 'toolgate.diagnosis.copy',
  cancelDiagnosis: 'toolgate.diagnosis.cancel',
  openPart: 'toolgate.result.openPart',
  openPartBeside: 'toolgate.result.openPartBeside',
  readLink: 'toolgate.result.readLink',
  openLinkOutside: 'toolgate.result.openLinkOutside',
  openTextLink: 'toolgate.result.openTextLink',
  forgetInputs: 'toolgate.callFile.forgetInputs',
  undoMove: 'toolgate.configuration.undoMove',
  moveSecret: 'toolgate.configuration.moveSecret',
  askAgain: 'toolgate.secrets.askAgain',
  cancelStart: 'toolgate.call.cancelStart',
  runWithLast: 'toolgate.tool.runWithLast',
  nextValue: 'toolgate.arguments.nextValue',
  previousValue: 'toolgate.arguments.previousValue',
  copySignInLink: 'toolgate.signIn.copyLink',
  copySignInCode: 'toolgate.signIn.copyCode',
  pasteSignInAddress: 'toolgate.signIn.pasteAddress',
  takeOverSignIn: 'toolgate.signIn.takeOver',
  signInInstead: 'toolgate.signIn.insteadOfHeader',
  addHeader: 'toolgate.configuration.addHeader',
} as const;

export type CommandId = (typeof commands)[keyof typeof commands];

export const settings = {
  section: 'toolgate',
  servers: 'servers',
  demoServer: 'demoServer.enabled',
  groupByOrigin: 'tree.groupByOrigin',
  callOnClick: 'tree.callOnClick',
  shareWorkspaceFolders: 'connections.shareWorkspaceFolders',
  startServers: 'connections.autoStart',
  restartCrashedServers: 'connections.autoRestart',
  startTimeoutMs: 'connections.startTimeoutMs',
  callTimeoutMs: 'calls.timeoutMs',
  callTimeouts: 'calls.timeouts',
  callCeilingMs: 'calls.ceilingMs',
  maxCallsPerServer: 'calls.maxPerServer',
  clientDocument: 'signIn.clientDocument',
  maxMessageBytes: 'connections.maxMessageBytes',
  maxMessageValues: 'connections.maxMessageValues',
  resultBudgetBytes: 'results.maxBytes',
  spoolAboveBytes: 'results.spoolAboveBytes',
  opensTables: 'results.openTables',
  opensPages: 'results.openPage',
  historyMaxCalls: 'history.maxCalls',
  historyMaxBytes: 'history.maxBytes',
  historyMaxAgeDays: 'history.maxAgeDays',
  historyMaxAnswerBytes: 'history.maxResultBytes',
  volatileFields: 'history.volatileFields',
  showIcons: 'icons.show',
  rules: 'rules',
  environments: 'callFiles.environments',
  allowBroadDestructiveGrants: 'permissions.allowBroadDestructiveGrants',
  agentsEnabled: 'agents.enabled',
  agentServers: 'agents.servers',
  toolSets: 'toolSets',
  agentAnswerWithinMs: 'agents.answerWithinMs',
  recordingOmits: 'recordings.leaveOut',
  replaySpeed: 'recordings.replaySpeed',
  recordArguments: 'journal.recordArguments',
  journalRetentionDays: 'journal.maxAgeDays',
  journalMaxBytes: 'journal.maxBytes',
  requireJournal: 'journal.required',
} as const;
/** Keys of `when` clauses; only `ui/tree/contextKeys.ts` sets them. */
export const contextKeys = {
  hasServers: 'toolgate.hasServers',
  isFiltered: 'toolgate.isFiltered',
  isRestricted: 'toolgate.isRestricted',
  canStart: 'toolgate.canStart',
  hasLookedAtTool: 'toolgate.hasLookedAtTool',
  hasCalled: 'toolgate.hasCalled',
} as const;
/**
 * With the first, Escape cancels a start; with the second, Ctrl+Enter runs with the last arguments.
 */
export const holdsFocusKey = 'toolgate.holdsFocus';
export const picksToolKey = 'toolgate.picksTool';
/** The walkthrough, as VS Code's command names it. */
export const walkthroughId = 'toolgate.toolgate#toolgate.start';
/** `viewItem` values of the tree, `<noun>.<state>`. */
export const contextValues = {
  serverStopped: 'server.stopped',
  serverStarting: 'server.starting',
  serverRunning: 'server.running',
  serverRunningLocal: 'server.running.local',
  serverRunningWatched: 'server.running.watched',
  serverFailed: 'server.failed',
  serverDisabled: 'server.disabled',
  serverSignInNeeded: 'server.signInNeeded',
  serverSigningIn: 'server.signingIn',
  serverSignedIn: 'server.running.signedIn',
  serverRunningSignInNeeded: 'server.running.signInNeeded',
  serverRemoteStopped: 'server.stopped.remote',
  serverRemoteFailed: 'server.failed.remote',
  serverReplayStopped: 'server.stopped.replay',
  serverReplayFailed: 'server.failed.replay',
  serverRecorded: 'server.running.recorded',
  serverSignedInRecorded: 'server.running.signedIn.recorded',
  tool: 'tool.callable',
  newTool: 'tool.callable.new',
  changedTool: 'tool.callable.changed',
  directTool: 'tool.callable.direct',
  taskTool: 'tool.callable.task',
  brokenTool: 'tool.broken',
  disabledTool: 'tool.disabled',
  goneTool: 'tool.gone',
  lastKnownTool: 'tool.lastKnown',
  resources: 'resources',
  resource: 'resource.listed',
  template: 'resource.template',
  skills: 'skills',
  skill: 'skill.listed',
  changedSkill: 'skill.changed',
  prompts: 'prompts',
  prompt: 'prompt.listed',
  problem: 'problem',
  callAsking: 'call.asking',
  callWaiting: 'call.waiting',
  callRunning: 'call.running',
  callTask: 'call.task',
  callTaskAsking: 'call.task.asking',
  callCancelling: 'call.cancelling',
  callFile: 'callFile',
  fileCall: 'callFile.call',
  callEnded: 'call.ended',
  callFailed: 'call.failed',
  callUnanswered: 'call.unanswered',
  callDraft: 'call.draft',
  callWithResult: 'call.result',
} as const;
/** Context value of a test message whose answer can be accepted; also in the manifest. */
export const unmetContext = 'mcpCallUnmet';
export const colors = {
  readOnly: 'toolgate.risk.readOnly',
  additive: 'toolgate.risk.additive',
  destructive: 'toolgate.risk.destructive',
  assumed: 'toolgate.risk.assumed',
  external: 'toolgate.result.external',
} as const;
/** Provider id of the servers for VS Code's chat, one for each that is exposed to agents. */
export const chatServersProvider = 'toolgate.agents';
/** Provider id of the entries in the Accounts menu, which hold no token. */
export const authenticationProvider = 'toolgate';
