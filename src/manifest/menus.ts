import * as ids from '../ids';

type Command = keyof typeof ids.commands;
type View = keyof typeof ids.views;
type Entry = readonly [command: Command, group: string, when?: string];
type RowEntry = readonly [
  command: Command,
  groups: readonly string[],
  row: keyof typeof ids.contextValues | RegExp,
  when?: string,
];
type Key = readonly [
  command: Command | keyof typeof ids.internalCommands | 'runCommands',
  key: string,
  when?: string,
  args?: string | { readonly commands: readonly string[] },
];

const keys = ids.contextKeys;
const isTrusted = `!${keys.isRestricted}`;
const settingIsOn = (name: keyof typeof ids.settings) =>
  `config.${ids.settings.section}.${ids.settings[name]}`;
const demoServer = settingIsOn('demoServer');

const scheme = (name: string) => `resourceScheme == ${name}`;
const result = scheme(ids.scheme);
const callAnswer = `${result} && resourcePath =~ /^\\/[^\\/]+\\/(?!resources\\/)/`;
const resource = `${result} && resourcePath =~ /^\\/[^\\/]+\\/resources\\//`;
const comparisonOfAll = `resource =~ /^${ids.comparisonScheme}:\\/all\\//`;
const comparisonOfLasting = `resource =~ /^${ids.comparisonScheme}:\\/lasting\\//`;
const beforeCall = 'resourceScheme =~ /^toolgate-(arguments|review)$/';
const argumentsDocument = scheme(ids.argumentsScheme);
const review = scheme(ids.reviewScheme);
const runAll = scheme(ids.runAllScheme);
const adding = scheme(ids.addingScheme);
const trust = scheme(ids.trustScheme);
const journal = scheme(ids.journalScheme);
const callFile = `resourceExtname == ${ids.callFileExtension}`;

const inText = (document: string) => `editorTextFocus && ${document}`;
const inAnswerPage = `activeCustomEditorId && !listFocus && !inputFocus && ${callAnswer}`;
const betweenValues = `${inText(argumentsDocument)} && !suggestWidgetVisible && !inSnippetMode && !editorTabMovesFocus`;
const listOf = (view: View) => `focusedView == ${ids.views[view]} && listFocus && !inputFocus`;

/** Tells when the palette shows commands that are not always useful. */
const palette: Partial<Record<Command, string>> = {
  connectServer: 'false',
  openPromptInChat: 'chatIsEnabled',
  runFileCall: callFile,
  runCallFile: callFile,
  runChecked: runAll,
  cancelRunAll: runAll,
  toggleFileCall: runAll,
  copyCallAs: callFile,
  runArguments: beforeCall,
  cancelArguments: beforeCall,
  enterStepByStep: argumentsDocument,
  clearFilter: keys.isFiltered,
  editCallArguments: review,
  allowCalls: review,
  filterJournal: journal,
  writeServers: adding,
  cancelAdding: adding,
  startReviewed: trust,
  cancelReviewed: trust,
  ignoreVolatileFields: comparisonOfAll,
  showVolatileFields: comparisonOfLasting,
  readAgain: resource,
  addDemoServer: `!${demoServer}`,
  removeDemoServer: demoServer,
};

const viewTitles: Readonly<Record<View, readonly Entry[]>> = {
  servers: [
    ['addServer', 'navigation@1'],
    ['startAllServers', 'navigation@2', keys.canStart],
    ['filterTools', 'navigation@3', `!${keys.isFiltered}`],
    ['clearFilter', 'navigation@3', keys.isFiltered],
    ['filterTools', '1_filter@1', keys.isFiltered],
    ['selectToolSet', '1_filter@2'],
    ['callTool', '2_run@1'],
    ['refreshTools', '2_run@2'],
    ['importServers', '3_configuration@2'],
    ['addDemoServer', '3_configuration@3', `!${demoServer}`],
    ['openServerConfiguration', '3_configuration@4'],
    ['manageSecrets', '3_configuration@5'],
    ['managePermissions', '4_consent@1'],
    ['openRules', '4_consent@2'],
    ['showJournal', '4_consent@3'],
  ],
  activity: [
    ['answerAgents', 'navigation@0', settingIsOn('agentsEnabled')],
    ['clearHistory', 'navigation@1'],
  ],
  callFiles: [['newCallFile', 'navigation@1']],
};

const pastCall = /^call\.(ended|failed|unanswered|result)$/;
const changed = /^(tool\.(callable\.changed|callable\.new|gone)|skill\.changed)$/;

const rows: Readonly<Record<View, readonly RowEntry[]>> = {
  activity: [
    ['openCallResult', ['inline@1', '1_run@3'], 'callWithResult'],
    ['cancelCall', ['inline@2', '1_run@1'], /^call\.(asking|waiting|running|unanswered)$/],
    ['cancelTask', ['inline@2', '1_run@1'], /^call\.task/],
    ['answerTask', ['inline@1', '1_run@0'], 'callTaskAsking'],
    ['hideTask', ['1_run@2'], /^call\.task/],
    ['runDraft', ['inline@1', '1_run@1'], 'callDraft'],
    ['runAgain', ['inline@3', '1_run@4'], pastCall],
    ['waitLonger', ['1_run@2'], 'callRunning'],
    ['showServerLog', ['1_run@0'], /^call\.(failed|unanswered)$/],
    ['runAgainWithChanges', ['1_run@5'], pastCall],
    ['compareResults', ['2_compare@1'], 'callWithResult'],
    ['expectAnswer', ['2_compare@2'], 'callWithResult'],
    ['saveCall', ['3_write@1'], pastCall],
    ['addToFile', ['3_write@2'], pastCall],
    ['copyPastCallAs', ['3_write@3'], pastCall],
    ['removeCalls', ['7_modification@1'], /^call\.(ended|failed|unanswered|result|draft)$/],
  ],
  servers: [
    ['enableServer', ['inline@1', '1_run@1'], 'serverDisabled'],
    ['enableTool', ['inline@1', '1_run@1'], 'disabledTool'],
    ['startServer', ['inline@1', '1_run@1'], /^server\.(stopped|failed)(\.replay)?$/, isTrusted],
    ['connectServer', ['inline@1'], /^server\.(stopped|failed)\.remote$/, isTrusted],
    ['stopServer', ['inline@1'], /^server\.starting$/],
    ['restartServer', ['inline@1', '1_run@3'], /^server\.running/],
    ['showToolChanges', ['inline@1', '0_changes@1'], changed],
    ['refreshResources', ['inline@1', '1_run@1'], /^resources$/],
    ['refreshPrompts', ['inline@1', '1_run@1'], /^prompts$/],
    ['refreshSkills', ['inline@1', '1_run@1'], /^skills$/],
    ['showServerLog', ['inline@2'], /^server\.failed(\.replay|\.remote)?$/],
    ['stopServer', ['inline@2'], /^server\.running/],
    ['callTool', ['inline@2', '1_run@1'], /^tool\.(callable|lastKnown)/],
    ['acceptToolChanges', ['0_changes@2'], changed],
    ['connectServer', ['1_run@1'], /^server\.(signInNeeded|(stopped|failed)\.remote)$/, isTrusted],
    ['openPrompt', ['1_run@1'], /^prompt\.listed$/],
    ['openSkill', ['1_run@1'], /^skill\.(listed|changed)$/],
    ['openSkillFile', ['1_run@2'], /^skill\.(listed|changed)$/],
    ['openResource', ['1_run@1'], /^resource\.listed$/],
    ['openTemplate', ['1_run@1'], /^resource\.template$/],
    ['setRisk', ['1_run@2'], /^tool\.callable/],
    ['setForAgents', ['1_run@3'], /^tool\.callable/],
    ['runAsTask', ['1_run@4'], 'directTool'],
    ['runDirectly', ['1_run@4'], 'taskTool'],
    ['stopServer', ['1_run@2'], /^server\.(starting|signingIn|running.*)$/],
    ['refreshTools', ['1_run@4'], /^server\.running/],
    ['restartOnSave', ['1_run@5'], 'serverRunningLocal'],
    ['stopRestartOnSave', ['1_run@5'], 'serverRunningWatched'],
    ['connectAs', ['1_run@6'], /^server\.(stopped|failed|running.*)$/, isTrusted],
    ['showServerLog', ['2_look@1'], /^(server\..+|problem|tool\.broken)$/],
    ['moveServer', ['2_look@9'], /^server\..+/],
    ['openServerConfiguration', ['2_look@2'], /^(server\..+|problem)$/],
    ['diagnoseServer', ['2_look@3'], /^(server\..+|problem)$/],
    ['acceptToolChanges', ['3_consent@1'], /^server\.running/],
    ['writeLockFile', ['3_consent@2'], /^server\.running/],
    ['showDefinition', ['2_look@0'], /^tool\.(callable|broken|disabled|lastKnown)/],
    ['copyToolName', ['5_cutcopypaste@1'], /^tool\.(callable|broken|disabled|gone|lastKnown)/],
    [
      'copyResourceUri',
      ['5_cutcopypaste@1'],
      /^(resource\.(listed|template)|skill\.(listed|changed))$/,
    ],
    ['disableServer', ['9_off@1'], /^server\.(?!disabled)/],
    ['disableTool', ['9_off@1'], /^tool\.callable/],
    ['signIn', ['inline@0', '0_signin@1'], /^server\.(signInNeeded|running\.signInNeeded)$/],
    ['cancelSignIn', ['inline@1', '0_signin@1'], /^server\.signingIn$/],
    ['signOut', ['4_account@1'], /^server\.running\.signedIn/],
    ['switchAccount', ['4_account@2'], /^server\.(signInNeeded|running\.sign.*)$/],
    ['useClientId', ['4_account@3'], /^server\.(signInNeeded|running\.sign.*)$/],
    ['showAuthorization', ['2_look@4'], /^server\.(signInNeeded|signingIn|running\.sign.*)$/],
    ['stopRecording', ['inline@3', '6_record@1'], /^server\.running.*\.recorded$/],
    [
      'recordServer',
      ['6_record@1'],
      /^server\.((stopped|failed)(\.remote)?|running|running\.signedIn)$/,
      isTrusted,
    ],
    ['removeReplay', ['9_off@2'], /^server\.(stopped|failed)\.replay$/],
  ],
  callFiles: [
    ['runFileCall', ['inline@1', '1_run@1'], 'fileCall'],
    ['runCallFile', ['inline@1', '1_run@1'], 'callFile'],
    ['copyCallAs', ['3_write@1'], 'fileCall'],
  ],
};

const editors: Readonly<Record<string, readonly Entry[]>> = {
  'editor/title': [
    ['runChecked', 'navigation@1', runAll],
    ['cancelRunAll', 'navigation@2', runAll],
    [
      'runCallFile',
      'navigation@1',
      `${callFile} && resourceScheme =~ /^(file|untitled|vscode-remote)$/`,
    ],
    ['runArguments', 'navigation@1', beforeCall],
    ['cancelArguments', 'navigation@4', beforeCall],
    ['ignoreVolatileFields', 'navigation@1', comparisonOfAll],
    ['showVolatileFields', 'navigation@1', comparisonOfLasting],
    ['runAgain', 'navigation@7', callAnswer],
    ['runAgainWithChanges', 'navigation@8', callAnswer],
    ['showOverview', 'navigation@1', `${result} && resourceExtname != .mcpresult`],
    ['showPreview', 'navigation@2', `${result} && resourceExtname == .mcpmd`],
    ['showJson', 'navigation@2', `${result} && resourceExtname == .mcptable`],
    ['filterResult', 'navigation@3', `${result} && resourceExtname =~ /^\\.mcp(json|table)$/`],
    ['showTable', '1_toolgate@1', `${result} && resourceExtname == .mcpjson`],
    ['readAgain', 'navigation@3', resource],
    ['saveResult', 'navigation@4', result],
    ['compareResultFiles', 'navigation@5', result],
    ['openFullResult', '1_toolgate@1', `${result} && resourceFilename =~ /-beginning\\.\\w+$/`],
    ['saveAllOfResult', '1_toolgate@2', result],
    ['copyResult', '1_toolgate@3', result],
    ['writeServers', 'navigation@1', adding],
    ['cancelAdding', 'navigation@2', adding],
    ['startReviewed', 'navigation@1', trust],
    ['cancelReviewed', 'navigation@2', trust],
    ['filterJournal', 'navigation@1', journal],
    ['verifyJournal', 'navigation@2', journal],
    ['allowCalls', 'navigation@2', review],
    ['editCallArguments', 'navigation@3', review],
  ],
  'editor/title/context': [
    ['expectAnswer', '2_toolgate@4', callAnswer],
    ['saveResult', '2_toolgate@1', result],
    ['compareResultFiles', '2_toolgate@2', result],
    ['copyResult', '2_toolgate@3', result],
    ['copyResourceUri', '1_cutcopypaste@9', resource],
  ],
  'editor/context': [
    ['sendToTool', 'z_toolgate@1', `${keys.hasServers} && resourceScheme !~ /^toolgate/`],
  ],
  'explorer/context': [
    ['compareResultFiles', '3_compare@9', result],
    ['sendToTool', 'z_toolgate@1', `${keys.hasServers} && !explorerResourceIsFolder`],
    [
      'replayRecording',
      'z_toolgate@2',
      'resourceExtname == .mcprecord && resourceScheme =~ /^(file|vscode-remote)$/',
    ],
  ],
  'testing/item/context': [
    ['acceptAnswer', '1_expect@1', 'controllerId == toolgate'],
    ['showExercisedTools', '1_expect@2', 'controllerId == toolgate'],
  ],
  'testing/message/content': [
    ['acceptAnswer', 'navigation@1', `testMessage == ${ids.unmetContext}`],
  ],
};

const bindings: readonly Key[] = [
  ['callTool', 'ctrl+k g'],
  ['repeatLastCall', 'ctrl+k l'],
  ['runAgain', 'ctrl+enter', inText(callAnswer), 'answer'],
  ['runAgain', 'ctrl+enter', inAnswerPage, 'answer'],
  ['runAgainWithChanges', 'f2', inText(callAnswer), 'answer'],
  ['runAgainWithChanges', 'f2', inAnswerPage, 'answer'],
  ['nextValue', 'tab', betweenValues],
  ['previousValue', 'shift+tab', betweenValues],
  ['cancelStart', 'escape', `${ids.holdsFocusKey} && inQuickInput`],
  ['runWithLast', 'ctrl+enter', `${ids.picksToolKey} && inQuickInput`],
  ['runFileCall', 'ctrl+enter', inText(callFile)],
  ['runArguments', 'ctrl+enter', inText(beforeCall)],
  ['runCallFile', 'ctrl+enter', inText(runAll)],
  ['toggleFileCall', 'space', inText(runAll)],
  ['writeServers', 'ctrl+enter', inText(adding)],
  ['startReviewed', 'ctrl+enter', inText(trust)],
  [
    'runCommands',
    'enter',
    `${listOf('servers')} && !treestickyScrollFocused`,
    {
      commands: [ids.internalCommands.enterBegins, 'list.select', ids.internalCommands.enterEnds],
    },
  ],
  ['openCallResult', 'enter', `${listOf('activity')} && !treestickyScrollFocused`, 'focus'],
  ['removeCalls', 'delete', listOf('activity'), 'focus'],
  ['runAgainWithChanges', 'f2', listOf('activity'), 'focus'],
];

const commandId = (name: Key[0]): string =>
  name === 'runCommands' ? name : { ...ids.commands, ...ids.internalCommands }[name];
const allOf = (...conditions: readonly (string | undefined)[]) =>
  conditions.filter((condition) => condition !== undefined).join(' && ');
const viewIs = (view: string) => `view == ${ids.views[view as View]}`;
const entry = ([command, group, when]: Entry) => ({ command: ids.commands[command], when, group });

/** Returns `contributes.menus`. */
export function menus(): object {
  return {
    commandPalette: Object.entries(palette).map(([command, when]) => ({
      command: commandId(command as Command),
      when,
    })),
    'view/title': Object.entries(viewTitles).flatMap(([view, entries]) =>
      entries.map(([command, group, when]) => entry([command, group, allOf(viewIs(view), when)])),
    ),
    'view/item/context': Object.entries(rows).flatMap(([view, entries]) =>
      entries.flatMap(([command, groups, row, when]) => {
        const item = typeof row === 'string' ? `== ${ids.contextValues[row]}` : `=~ ${row}`;
        const condition = allOf(viewIs(view), `viewItem ${item}`, when);
        return groups.map((group) => entry([command, group, condition]));
      }),
    ),
    ...Object.fromEntries(
      Object.entries(editors).map(([menu, entries]) => [menu, entries.map(entry)]),
    ),
  };
}

/** Returns `contributes.keybindings`. Ctrl is Cmd on macOS. */
export function keybindings(): object[] {
  return bindings.map(([name, key, when, args]) => ({
    command: commandId(name),
    key,
    mac:
      key === 'delete'
        ? 'cmd+backspace'
        : key.startsWith('ctrl+')
          ? key.replace('ctrl', 'cmd')
          : undefined,
    args,
    when,
  }));
}
