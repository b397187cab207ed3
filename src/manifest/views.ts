import * as ids from '../ids';
import { text } from './texts';

const icon = 'media/toolgate.svg';
const container = text('container.title', 'Toolgate');
const { hasServers, isRestricted } = ids.contextKeys;

const view = (name: keyof typeof ids.views, title: string, more: object) => ({
  id: ids.views[name],
  name: text(`view.${name}`, title),
  contextualTitle: container,
  icon,
  ...more,
});
const welcome = (
  name: keyof typeof ids.views,
  key: string,
  lines: readonly string[],
  when?: string,
) => ({
  view: ids.views[name],
  contents: text(`welcome.${key}`, lines.join('\n')),
  when,
});
const color = (
  name: keyof typeof ids.colors,
  description: string,
  defaults: readonly string[],
) => ({
  id: ids.colors[name],
  description: text(ids.colors[name].replace('toolgate', 'color'), description),
  defaults: {
    dark: defaults[0],
    light: defaults[1] ?? defaults[0],
    highContrast: defaults[2] ?? defaults[0],
    highContrastLight: defaults[3] ?? defaults[0],
  },
});
const step = (
  id: string,
  doneWhen: string,
  title: string,
  lines: readonly string[],
  image: string,
) => ({
  id,
  title: text(`walkthrough.${id}.title`, title),
  description: text(`walkthrough.${id}.description`, lines.join('\n')),
  media: {
    svg: `media/walkthrough/${id}.svg`,
    altText: text(`walkthrough.${id}.alt`, image),
  },
  completionEvents: [`onContext:${doneWhen}`],
});
const link = (title: string, command: keyof typeof ids.commands) =>
  `[${title}](command:${ids.commands[command]})`;

/** Views, colors, the walkthrough, and other contributions that are listed once. */
export const viewContributions = {
  viewsContainers: { activitybar: [{ id: 'toolgate', title: container, icon }] },
  views: {
    toolgate: [
      view('servers', 'Servers and Tools', { initialSize: 3 }),
      view('activity', 'Calls', { initialSize: 1 }),
      view('callFiles', 'Call Files', { visibility: 'collapsed' }),
    ],
  },
  viewsWelcome: [
    welcome(
      'activity',
      'noCalls',
      ['Running and past tool calls appear here.'],
      `!${hasServers} || ${isRestricted}`,
    ),
    welcome(
      'activity',
      'noCallsYet',
      ['Running and past tool calls appear here.', link('Call Tool…', 'callTool')],
      `${hasServers} && !${isRestricted}`,
    ),
    welcome(
      'servers',
      'restricted',
      [
        'This workspace is in Restricted Mode, so servers cannot be started. Trust the workspace only if you trust the authors of its files. Each server still asks before its first start.',
        '[Manage Workspace Trust](command:workbench.trust.manage)',
      ],
      isRestricted,
    ),
    welcome(
      'servers',
      'noServers',
      [
        'Servers provide tools that you can call from here. To try it, add the demo server.',
        '[Add Demo Server](command:toolgate.demoServer.add)',
        'You can also [add a server](command:toolgate.server.add), [import servers](command:toolgate.servers.import) from another program, or [open the configuration](command:toolgate.configuration.open).',
        'The [walkthrough](command:workbench.action.openWalkthrough?%22toolgate.toolgate%23toolgate.start%22 "Get Started with Toolgate") shows each step.',
      ],
      `!${isRestricted} && !${hasServers}`,
    ),
    welcome('callFiles', 'noCallFiles', [
      'Call files keep calls so that you can run them again.',
      link('New Call File…', 'newCallFile'),
    ]),
  ],
  'markdown.markdownItPlugins': true,
  colors: [
    color('readOnly', 'Icon color for read-only tools, as declared by the server or set by you.', [
      'charts.green',
    ]),
    color(
      'additive',
      'Icon color for tools that add and never delete or overwrite, as declared by the server or set by you.',
      ['charts.blue'],
    ),
    color(
      'destructive',
      'Icon color for tools that may delete or overwrite, as declared by the server or set by you.',
      ['charts.red'],
    ),
    color(
      'assumed',
      'Icon color for tools without declared risk, for which the worst is assumed.',
      ['descriptionForeground'],
    ),
    color(
      'external',
      'Color for tabs of results that may contain external content because the tool can reach outside systems.',
      ['#b18cf2', '#7a3ec8', '#d7baff', '#5a1ea8'],
    ),
  ],
  walkthroughs: [
    {
      id: ids.walkthroughId.split('#')[1],
      title: text('walkthrough.title', 'Get Started with Toolgate'),
      description: text(
        'walkthrough.description',
        'Add a server, see what its tools may do, and call one.',
      ),
      icon: 'media/icon.png',
      steps: [
        step(
          'addServer',
          ids.contextKeys.hasServers,
          'Add a server',
          [
            'An MCP server is a program that offers tools. The demo server comes with Toolgate and needs no installation.',
            '[Add Demo Server](command:toolgate.demoServer.add)',
            'You can also add your own server: [Add Server…](command:toolgate.server.add)',
          ],
          'A configuration file lists a server. The server and its tools appear in the sidebar.',
        ),
        step(
          'lookAtRisk',
          ids.contextKeys.hasLookedAtTool,
          'See what each tool may do',
          [
            'The icon of a tool shows its risk. Hover over it to read what the server declares and what is assumed.',
            '[Show Servers and Tools](command:toolgate.servers.focus)',
          ],
          'Each tool has an icon for its risk: an eye, a plus sign, a flame or a warning sign. A tooltip shows what the server declares.',
        ),
        step(
          'callTool',
          ids.contextKeys.hasCalled,
          'Call a tool',
          [
            'Choose a tool and enter its arguments. You see exactly what will be sent before the tool runs. The result opens in an editor.',
            '[Call Tool…](command:toolgate.tool.call)',
          ],
          'A dialog shows the tool, its risk and the exact arguments. Run calls the tool, and the result opens in an editor.',
        ),
      ],
    },
  ],
  mcpServerDefinitionProviders: [{ id: ids.chatServersProvider, label: 'Toolgate' }],
  authentication: [
    { id: ids.authenticationProvider, label: text('authentication.label', 'Toolgate') },
  ],
  customEditors: [
    {
      viewType: ids.recordingEditor,
      displayName: text('editor.mcprecord', 'Recording'),
      selector: [{ filenamePattern: '*.mcprecord' }],
      priority: 'default',
    },
    {
      viewType: ids.answerEditor,
      displayName: text('editor.mcpanswer', 'Page'),
      selector: [
        { filenamePattern: `${ids.scheme}:/**/*.mcpresult` },
        { filenamePattern: `${ids.definitionScheme}:/**/*.definition.txt` },
      ],
      priority: 'option',
    },
  ],
};
