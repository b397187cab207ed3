import * as ids from '../ids';
import {
  type SettingDeclaration,
  settingDeclarations,
  settingGroups,
} from '../ui/settings/settingDeclarations';
import { text } from './texts';

type Name = keyof typeof settingDeclarations;
interface Setting {
  readonly text: string;
  /** The texts of the values of an enumeration. */
  readonly values?: Readonly<Record<string, string>>;
  /** Is added to the JSON Schema of the declaration. */
  readonly schema?: object;
}

const listOfStrings = { type: 'array', items: { type: 'string' } };
const nameOrPattern = { type: 'string', minLength: 1, maxLength: 256 };
const oneOrMoreOf = (values: readonly string[]) => {
  const one = { type: 'string', enum: values };
  return { oneOf: [one, { type: 'array', items: one, minItems: 1, uniqueItems: true }] };
};
const described = (key: string, english: string) => ({
  description: text(`setting.${key}`, english),
});

const serversSchema = {
  additionalProperties: {
    type: 'object',
    anyOf: [{ required: ['command'] }, { required: ['url'] }],
    properties: {
      type: {
        type: 'string',
        enum: ['stdio', 'http', 'sse'],
        ...described(
          'servers.type',
          'Transport of the server. Default: stdio for a command, http for a URL.',
        ),
      },
      command: {
        type: 'string',
        minLength: 1,
        ...described(
          'servers.command',
          'Program to start: a name on PATH, or an absolute path. No shell is used.',
        ),
      },
      args: {
        ...listOfStrings,
        ...described('servers.args', 'Arguments of the program. They are passed without a shell.'),
      },
      cwd: { type: 'string', ...described('servers.cwd', 'Working directory of the program.') },
      env: {
        type: 'object',
        additionalProperties: { type: ['string', 'number', 'null'] },
        ...described(
          'servers.env',
          'Environment variables for the program. null unsets a variable.',
        ),
      },
      url: {
        type: 'string',
        ...described('servers.url', 'URL of a server that is reached over HTTP.'),
      },
      headers: {
        type: 'object',
        additionalProperties: { type: 'string' },
        ...described('servers.headers', 'HTTP headers that are sent with every request.'),
      },
    },
    defaultSnippets: [{ body: { command: '${1:program}', args: ['$2'] } }],
  },
};
const rulesSchema = {
  maxItems: 1000,
  items: {
    type: 'object',
    required: ['effect'],
    additionalProperties: false,
    defaultSnippets: [
      {
        label: text('setting.rules.snippet.allow', 'Allow a tool'),
        body: { effect: 'allow', server: '${1:server}', tool: '${2:tool}' },
      },
      {
        label: text('setting.rules.snippet.deny', 'Deny destructive tools'),
        body: { effect: 'deny', risk: 'destructive', reason: '${1:reason}' },
      },
      {
        label: text('setting.rules.snippet.inside', 'Allow inside the workspace only'),
        body: {
          effect: 'allow',
          server: '${1:server}',
          tool: '${2:tool}',
          when: { '/path': { insideWorkspace: true } },
        },
      },
    ],
    properties: {
      effect: {
        type: 'string',
        enum: ['allow', 'ask', 'deny'],
        enumDescriptions: [
          text(
            'setting.rules.allow',
            'Run the call without asking. Only available in user settings.',
          ),
          text('setting.rules.ask', 'Ask for approval, even if a permission covers the call.'),
          text('setting.rules.deny', 'Refuse the call.'),
        ],
        ...described('rules.effect', 'Effect on calls that match the rule.'),
      },
      server: {
        ...nameOrPattern,
        ...described(
          'rules.server',
          'Name of a configured server, or a pattern with * and ?. Default: every server.',
        ),
      },
      tool: {
        ...nameOrPattern,
        ...described(
          'rules.tool',
          'Name of the tool, or a pattern with * and ?. Default: every tool.',
        ),
      },
      risk: {
        ...oneOrMoreOf(['readOnly', 'additive', 'destructive']),
        ...described('rules.risk', 'Risk level, or levels, of the tool. Default: any.'),
      },
      origin: {
        ...oneOrMoreOf(['person', 'extension', 'agent']),
        ...described(
          'rules.origin',
          'Caller of the tool: "person" is you; "extension" is another extension, a link, a key or a task; "agent" is an agent connected to Toolgate. By default, ask and deny match every caller, and allow matches every caller except agents.',
        ),
      },
      when: {
        type: 'object',
        minProperties: 1,
        ...described(
          'rules.when',
          'Conditions on the arguments, by JSON pointer ("/path", "/items/*/url"). All must be met. If a pointer finds several values, allow requires the condition for all of them; ask and deny require it for one.',
        ),
        propertyNames: { pattern: '^(/|$)' },
        additionalProperties: {
          type: 'object',
          additionalProperties: false,
          minProperties: 1,
          ...described('rules.condition', 'Condition on the value at this place.'),
          properties: {
            equals: { ...described('rules.equals', 'The value equals this JSON value.') },
            matches: {
              type: 'string',
              format: 'regex',
              maxLength: 1000,
              ...described(
                'rules.matches',
                'The value is a string that matches this regular expression.',
              ),
            },
            startsWith: {
              type: 'string',
              minLength: 1,
              ...described('rules.startsWith', 'The value is a string that begins with this text.'),
            },
            insideWorkspace: {
              type: 'boolean',
              ...described(
                'rules.insideWorkspace',
                'true: the value is a path inside a folder of this workspace, after links are resolved. false: it is not.',
              ),
            },
            hostIn: {
              ...listOfStrings,
              minItems: 1,
              ...described(
                'rules.hostIn',
                'The value is a URL with one of these hosts. "*.example.com" matches every subdomain, "host:8080" also the port.',
              ),
            },
            exists: {
              type: 'boolean',
              ...described(
                'rules.exists',
                'true: the value exists. false: the value does not exist.',
              ),
            },
          },
        },
      },
      reason: {
        type: 'string',
        ...described('rules.reason', 'Reason that is shown when the rule asks or denies.'),
      },
    },
  },
};

/** `{range}` is replaced with the limits of the declaration. */
const texts: Readonly<Record<Name, string | Setting>> = {
  servers: {
    text: 'MCP servers for all your workspaces, by name, in the format of the `servers` object in `.vscode/mcp.json`. A server with the same name in a workspace takes precedence. Example: `"files": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "${userHome}/Documents"] }`',
    schema: serversSchema,
  },
  demoServer:
    'Controls whether the demo server that comes with Toolgate is listed. It has a tool for every risk level and every kind of result, and changes nothing on this computer.',
  startServers: {
    text: 'Controls when servers start. You are always asked before a server starts for the first time and after its start configuration has changed.',
    values: {
      onFirstUse:
        'Start a server when you call one of its tools, or when you expand its row and its tools are not known yet.',
      always:
        'Start servers that you have already agreed to when the window opens, and the others on first use.',
      never: 'Start servers only when you choose Start Server.',
    },
  },
  groupByOrigin:
    'Group servers by the file or setting that configures them, if there is more than one.',
  callOnClick:
    'Call a tool with a single click. Otherwise, a click selects the tool and shows its definition, and a double click, Enter or ▷ calls it.',
  shareWorkspaceFolders:
    'Tell servers that ask for *roots* which folders are open in this workspace. Only local folders of a trusted workspace are sent. A change applies the next time a server starts.',
  restartCrashedServers:
    'Restart a server when its process exits unexpectedly, with increasing delays and at most five times in a row. A server that exits with code 0 is not restarted.',
  startTimeoutMs:
    'How long a server may take to start and answer the first request, in milliseconds ({range}). The time in which a package manager such as npx, uvx or docker downloads packages does not count, up to ten minutes.',
  showIcons:
    'Show in tooltips the icons that servers provide for themselves, their tools and their resources. Only embedded PNG, JPEG and WebP images are shown; nothing is downloaded.',
  clientDocument:
    'HTTPS URL of a client ID metadata document. Toolgate uses it to sign in to servers that support such documents, instead of registering. The document must contain this URL as its `client_id` and the redirect URI `http://127.0.0.1/callback`. Only the authorization server reads it. By default, there is none.',
  maxMessageBytes:
    'Maximum size of a message from a server, in bytes ({range}). A larger message ends the connection.',
  maxMessageValues:
    "Maximum number of JSON values in one message from a server ({range}). Each distinct property name counts as two more. Half a million values block VS Code's extensions for at most a quarter of a second. A message with more values ends the connection, or is dropped over HTTP. Structured content with more than 100,000 values stays text and does not count.",
  callTimeoutMs:
    'How long a server may take to answer a tool call, in milliseconds ({range}). A progress report restarts the time, up to `#toolgate.calls.ceilingMs#`. Use `#toolgate.calls.timeouts#` for limits of single servers and tools.',
  callTimeouts:
    'Time limits for single servers and tools, in milliseconds ({range}). They override `#toolgate.calls.timeoutMs#`. A key is the name of a server, or `server/tool`, which takes precedence. Example: `{ "builds": 600000, "builds/status": 5000 }`',
  callCeilingMs:
    'Maximum total time of a call whose server reports progress, in milliseconds ({range}). It is never shorter than the time limit of the call.',
  environments: {
    text: 'Named sets of values for `${var:name}` in call files: `{ "staging": { "project": "demo", "limit": 10 } }`. Select the environment in the status bar while a call file is open.',
    schema: { additionalProperties: { type: 'object' } },
  },
  maxCallsPerServer:
    'Maximum number of calls that run at the same time on one server ({range}). Further calls wait.',
  historyMaxCalls:
    'Maximum number of completed calls that are kept across restarts ({range}). 0 keeps none and deletes the existing history.',
  historyMaxAgeDays: 'Maximum age of calls in the history, in days ({range}).',
  historyMaxBytes:
    'Maximum disk space for the history and its results, in bytes ({range}). The oldest calls are deleted first, except those with an open result.',
  historyMaxAnswerBytes:
    'Maximum size of a result that is kept with its call, in bytes ({range}). Calls with larger results are kept without them.',
  volatileFields: {
    text: 'Fields that _Ignore Volatile Fields_ leaves out when two results are compared. An entry is the name of a property, which matches everywhere, or a JSON pointer from the top of the result, such as `/structuredContent/at`.',
    schema: { items: { type: 'string', minLength: 1 }, uniqueItems: true },
  },
  resultBudgetBytes:
    'Maximum size of results that are kept for open and recent result documents, in bytes ({range}), in memory and on disk. The oldest are dropped first. Results that call files pass on to later calls have the same limit.',
  spoolAboveBytes:
    'Size above which parts of results are kept on disk instead of in memory until the window closes, in bytes ({range}). Texts above this size open with only their beginning.',
  opensPages:
    'Open tool definitions as a page, and results that have several kinds of content, are errors or are Markdown. Otherwise, the document that fits best opens, such as the image, an overview or a text.',
  opensTables:
    'Open a result that consists of one list of rows as a table. Otherwise, it opens as JSON.',
  rules: {
    text: 'Rules that allow, ask for or deny calls. All matching rules apply in any order: *deny* beats *ask*, and *ask* beats *allow*. Without a matching rule, you are asked. Rules in user settings can do all three; rules of a workspace or a remote machine can only *ask* or *deny*. Example: `{ "effect": "allow", "server": "files", "tool": "read_*", "when": { "/path": { "insideWorkspace": true } } }`',
    schema: rulesSchema,
  },
  allowBroadDestructiveGrants:
    'Offer to remember an approval for *all* arguments of a destructive tool. Otherwise, only exactly the same arguments can be remembered.',
  agentsEnabled:
    'Controls whether agents on this machine, such as Claude Code, Codex or Cursor, can ask to call tools of the servers in `#toolgate.agents.servers#`. Agents connect through a socket that only you can use, and every call goes through the same rules, approvals and journal as yours. *Toolgate: Copy Agent Configuration…* copies the entry that an agent needs.',
  agentServers: {
    text: 'Names of the servers whose tools agents can see and ask to call. Use *Toolgate: Expose to Agents…* to change them.',
    schema: { items: { type: 'string' }, uniqueItems: true },
  },
  toolSets: {
    text: 'Named lists of tools across servers: `server` for all of its tools, or `server/tool`, with `*` and `?` as in rules. The set that you select in the status bar limits which tools agents, the tree and the picker show in this workspace. A tool set never allows a call.',
    schema: { additionalProperties: listOfStrings },
  },
  agentAnswerWithinMs:
    'How long an agent waits for you to answer an approval, in milliseconds ({range}). After that, the agent is told that there was no answer and nothing is sent. Many agents stop waiting after a minute.',
  recordArguments:
    'Record the arguments of calls in the audit journal, in addition to their digest. Secrets are never recorded.',
  journalRetentionDays: 'Maximum age of entries in the audit journal, in days ({range}).',
  journalMaxBytes:
    'Maximum size of the audit journal, in bytes ({range}). The oldest part is deleted first.',
  requireJournal:
    'Refuse calls that cannot be recorded in the audit journal, for example because the disk is full.',
  recordingOmits: {
    text: 'JSON pointers of the values that _Record Server…_ leaves out of every message, such as `/result/structuredContent/token`. Known secrets are always left out.',
    schema: { items: { type: 'string', minLength: 1 }, uniqueItems: true },
  },
  replaySpeed: 'Speed of a replayed server, as a factor of the recorded speed ({range}).',
};

const groupTitles: Readonly<Record<keyof typeof settingGroups, string>> = {
  servers: 'Servers',
  calls: 'Calls',
  results: 'Results and History',
  consent: 'Consent and Rules',
  agents: 'Agents',
  journal: 'Audit Journal',
  recordings: 'Recordings',
};

/** Formats a limit, bytes with the largest unit that divides them. */
function formatLimit(key: string, value: number): string {
  const units = [
    ['GiB', 2 ** 30],
    ['MiB', 2 ** 20],
    ['KiB', 2 ** 10],
  ] as const;
  const unit = key.endsWith('Bytes') && units.find(([, size]) => value % size === 0);
  return unit ? `${value / unit[1]} ${unit[0]}` : value.toLocaleString('en-US');
}

function property(name: Name, order: number): object {
  const key = ids.settings[name];
  const { effect, ...declared }: SettingDeclaration = settingDeclarations[name];
  const { values: limits, ...rest } = { values: undefined, ...declared };
  const given = texts[name];
  const setting: Setting = typeof given === 'string' ? { text: given } : given;
  const range = limits ?? ('minimum' in declared ? declared : undefined);
  const description = setting.text.replace('{range}', () =>
    [range?.minimum, range?.maximum].map((limit) => formatLimit(key, limit ?? 0)).join(' to '),
  );
  return {
    order,
    ...rest,
    // Settings Sync would copy them to machines where the same names mean other servers.
    ...(effect === 'admits' || effect === 'tightens' ? { ignoreSync: true } : {}),
    ...(limits === undefined ? {} : { additionalProperties: { type: 'integer', ...limits } }),
    markdownDescription: text(`setting.${key}`, description),
    ...(setting.values === undefined
      ? {}
      : {
          markdownEnumDescriptions: Object.entries(setting.values).map(([value, meaning]) =>
            text(`setting.${key}.${value}`, meaning),
          ),
        }),
    ...setting.schema,
  };
}

/** Returns `contributes.configuration`. */
export function configuration(): object[] {
  return Object.entries(settingGroups).map(([group, members], at) => ({
    order: at + 1,
    title: text(`configuration.${group}`, groupTitles[group as keyof typeof settingGroups]),
    properties: Object.fromEntries(
      (Object.keys(members) as Name[]).map((name, place) => [
        `${ids.settings.section}.${ids.settings[name]}`,
        property(name, place + 1),
      ]),
    ),
  }));
}
