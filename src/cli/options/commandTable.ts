import type { OptionName } from './optionTable';

/** Describes one command. Parsing, help, completion and suggestions use it. */
export interface CommandEntry {
  /** The operands as help shows them. */
  readonly operands: string;
  /** Completion offers this as an operand. */
  readonly offers?: 'file' | readonly string[];
  readonly summary: string;
  /** Other options are refused. */
  readonly options: readonly OptionName[];
  /** Each is a command line without the leading `toolgate`. */
  readonly examples: readonly string[];
}

const ofEntries = [
  'server-config',
  'command',
  'cwd',
  'url',
  'header',
  'name',
  'start-timeout',
  'revision',
  'log-level',
  'verbose',
] as const;
const ofServers = [...ofEntries, 'no-store'] as const;
const ofRecordings = ['record', 'record-omit', 'replay', 'replay-speed'] as const;
const ofCalls = ['allow', 'max-risk', 'journal', 'timeout', ...ofRecordings] as const;
const ofReading = ['timeout', 'meta', 'save', 'text', ...ofRecordings] as const;

/** The order is that of help. Every command also has `--help` and `--version`. */
export const commandTable = {
  test: {
    operands: '[files or folders]',
    offers: 'file',
    summary: 'Run call files (*.mcpcall) and check what they expect.',
    options: [
      ...ofServers,
      ...ofCalls,
      'pass-env',
      'pass-input',
      'pass-answers',
      'env',
      'environments',
      'reporter',
      'output',
      'strict',
      'grep',
      'bail',
      'retries',
      'jobs',
      'fresh',
      'update',
      'watch',
      'coverage',
    ],
    examples: [
      'test --max-risk readOnly',
      'test calls --allow rules.json --reporter github --output junit=report.xml',
      'test --max-risk additive --grep "search" --update',
    ],
  },
  call: {
    operands: '<server> <tool> [name=value …]',
    summary: 'Call one tool and write its result.',
    options: [
      ...ofServers,
      ...ofCalls,
      'meta',
      'detach',
      'arguments',
      'save',
      'text',
      'strict',
      'tail-log',
    ],
    examples: [
      'call tickets search --max-risk readOnly text=door limit=5 filter.open=true',
      'call tickets add --allow rules.json tags=a tags=b "place:=[1,2]"',
      `call 'tickets.search(text: "door", limit: 5)' --max-risk readOnly`,
      "call tickets add --allow rules.json token='${input:token}' body=@comment.md",
      'call search text=door --command "node server.mjs" --max-risk readOnly',
      `call tickets search --max-risk readOnly --arguments '{"text":"door"}'`,
    ],
  },
  shell: {
    operands: '[server]',
    summary: 'Keep a server running, and call its tools from a prompt or a script.',
    options: [...ofServers, ...ofCalls],
    examples: [
      'shell tickets --max-risk readOnly',
      'shell tickets --allow rules.json < script.txt',
    ],
  },
  read: {
    operands: '<server> <uri> [name=value …]',
    summary: 'Read a resource by its URI, or by a URI template and values.',
    options: [...ofServers, ...ofReading],
    examples: [
      'read docs file:///guide.md',
      "read docs 'file:///{path}' path=guide.md",
      'read docs file:///logo.png --save pictures',
      'read file:///guide.md --command "node server.mjs"',
    ],
  },
  prompt: {
    operands: '<server> <prompt> [name=value …]',
    summary: 'Get a prompt with its arguments filled in. Nothing is sent to a model.',
    options: [...ofServers, ...ofReading],
    examples: [
      'prompt tickets summary number=5 style=short',
      "prompt tickets summary number=5 token='${input:token}'",
      'prompt summary number=5 --url http://localhost:3000/mcp',
    ],
  },
  ping: {
    operands: '<server>',
    summary: 'Start a server, and measure how long it takes to respond.',
    options: [...ofServers, 'timeout', 'json'],
    examples: ['ping tickets', 'ping --url http://localhost:3000/mcp --json'],
  },
  follow: {
    operands: '<server> [uri]',
    summary:
      'Write a line for each change that a server announces: of a resource, or of its lists.',
    options: [...ofServers, 'timeout'],
    examples: ['follow docs file:///guide.md', 'follow tickets --log-level debug'],
  },
  tasks: {
    operands: '<server> [list|get|result|cancel] [id]',
    summary: 'List the tasks of a server, or read, await or cancel one.',
    options: [...ofServers, 'session', 'save', 'text'],
    examples: ['tasks tickets', 'tasks tickets result 786512e2', 'tasks tickets cancel 786512e2'],
  },
  skills: {
    operands: '<server>',
    summary: 'List the skills of a server, and compare their files with their digests.',
    options: [...ofServers, ...ofRecordings, 'timeout', 'json'],
    examples: ['skills docs', 'skills docs --json'],
  },
  list: {
    operands: '[server]',
    summary: 'List servers with their tools and risks, resources and prompts.',
    options: [...ofServers, ...ofRecordings, 'json', 'schema', 'apps', 'grep'],
    examples: [
      'list',
      'list tickets --server-config servers.json',
      'list --grep search',
      'list tickets --apps',
      'list --command "node server.mjs" --json --schema',
    ],
  },
  config: {
    operands: '[list|add|remove|import] [name]',
    offers: ['list', 'add', 'remove', 'import'],
    summary: 'List configured servers, add or remove one, or import those of another client.',
    options: ['server-config', 'command', 'cwd', 'url', 'header', 'to', 'json'],
    examples: [
      'config',
      'config add tickets --command "node server.mjs"',
      "config add docs --url https://example.com/mcp --header 'X-Key: ${env:KEY}'",
      'config remove tickets --to .mcp.json',
      'config import',
      'config import claude-code',
    ],
  },
  generate: {
    operands: '<server>',
    summary: 'Write a script that has the tools of a server as subcommands, or a typed client.',
    options: [
      'server-config',
      'command',
      'cwd',
      'url',
      'revision',
      'start-timeout',
      'verbose',
      'no-store',
      'typescript',
    ],
    examples: [
      'generate tickets > tickets.mjs',
      'generate tickets --typescript > tickets.ts',
      'generate --command "node server.mjs" > own.mjs',
    ],
  },
  lock: {
    operands: '[servers]',
    summary: 'Write the current tools of servers to toolgate.lock.json.',
    options: [...ofServers, ...ofRecordings],
    examples: ['lock', 'lock tickets'],
  },
  diff: {
    operands: '[server] | <before> <now>',
    summary:
      'Show what changed since toolgate.lock.json, or between two servers, and what breaks callers.',
    options: [...ofServers, ...ofRecordings, 'json'],
    examples: [
      'diff',
      'diff tickets --json',
      'diff tickets tickets-next --server-config both.json',
    ],
  },
  diagnose: {
    operands: '<server>',
    summary: 'Check the connection to a server step by step.',
    options: [...ofServers, ...ofRecordings],
    examples: ['diagnose tickets', 'diagnose --url http://localhost:3000/mcp'],
  },
  login: {
    operands: '<server>',
    summary: 'Sign in to a server in a browser, for all later commands.',
    options: [
      ...ofEntries,
      'no-browser',
      'scope',
      'issuer',
      'client-id',
      'client-secret',
      'redirect-port',
    ],
    examples: [
      'login tickets',
      'login --url https://mcp.example.com/mcp --no-browser',
      "login tickets --client-id my-app --client-secret '${input:secret}' --redirect-port 8123",
    ],
  },
  logout: {
    operands: '<server>',
    summary: 'Revoke and delete a sign-in.',
    options: [...ofEntries, 'all'],
    examples: ['logout tickets', 'logout --all'],
  },
  journal: {
    operands: 'verify <folder>',
    offers: ['verify'],
    summary: 'Verify that a journal was not changed.',
    options: [],
    examples: ['journal verify journal'],
  },
  gateway: {
    operands: '[servers]',
    summary: 'Serve the allowed tools to an agent on standard input and output, or over HTTP.',
    options: [...ofServers, ...ofCalls, 'http', 'token'],
    examples: [
      'gateway tickets --allow rules.json --journal journal',
      "gateway --max-risk readOnly --http 3210 --token '${env:TOKEN}'",
    ],
  },
  replay: {
    operands: '<file> <server>',
    offers: 'file',
    summary: 'Act as a recorded server on standard input and output.',
    options: ['replay-speed'],
    examples: ['replay run.mcprecord tickets'],
  },
  help: {
    operands: '[command]',
    summary: 'Show the options and examples of a command.',
    options: [],
    examples: ['help test'],
  },
  completion: {
    operands: 'bash|zsh|fish',
    offers: ['bash', 'zsh', 'fish'],
    summary: 'Write the completion script of a shell.',
    options: [],
    examples: ['completion bash > ~/.local/share/bash-completion/completions/toolgate'],
  },
} as const satisfies Readonly<Record<string, CommandEntry>>;

export type CliCommand = keyof typeof commandTable;

export function isCommand(name: string | undefined): name is CliCommand {
  return name !== undefined && Object.hasOwn(commandTable, name);
}

export const commandNames: readonly CliCommand[] = Object.keys(commandTable).filter(isCommand);
