import { logLevels } from '../../core/log';
import { riskLevels } from '../../core/risk';
import { revisions } from '../../core/types';

export const reporterNames = ['spec', 'tap', 'junit', 'json', 'github'] as const;
export type ReporterName = (typeof reporterNames)[number];

/** Describes one option of one or several commands. Parsing, help, completion and suggestions use it. */
export interface OptionEntry {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  readonly multiple?: true;
  /** The placeholder of the value in help. */
  readonly value?: string;
  /** Completion offers this as the value: words, or names of files or folders. */
  readonly offers?: readonly string[] | 'file' | 'folder';
  readonly help: string;
}

/** The keys are names without `--`; the order is that of help. */
export const optionTable = {
  'server-config': {
    type: 'string',
    value: '<file>',
    offers: 'file',
    help: 'File with servers: an mcp.json, or a file with "mcpServers". Default: .vscode/mcp.json, .mcp.json and .github/mcp.json of this folder.',
  },
  command: {
    type: 'string',
    value: '<line>',
    help: 'Start this program as the only server, such as "node server.mjs".',
  },
  cwd: {
    type: 'string',
    value: '<folder>',
    offers: 'folder',
    help: 'Folder in which --command runs. Default: this one.',
  },
  url: {
    type: 'string',
    value: '<url>',
    help: 'Connect to this URL as the only server.',
  },
  header: {
    type: 'string',
    multiple: true,
    value: '<name: value>',
    help: 'Header for --url, such as "Authorization: Bearer ${input:token}". Repeatable.',
  },
  name: {
    type: 'string',
    value: '<name>',
    help: 'Name of the server of --command or --url in call files. Default: server.',
  },
  to: {
    type: 'string',
    value: '<file>',
    offers: 'file',
    help: 'Configuration file that is changed. Default: .vscode/mcp.json.',
  },
  'no-store': { type: 'boolean', help: 'Do not use sign-ins of "toolgate login".' },
  'no-browser': {
    type: 'boolean',
    help: 'Show the URL of the page without opening a browser.',
  },
  scope: {
    type: 'string',
    multiple: true,
    value: '<scope>',
    help: 'Request this scope instead of those that the server names. Repeatable.',
  },
  issuer: {
    type: 'string',
    value: '<url>',
    help: 'Use this authorization server when the server names several.',
  },
  'client-id': {
    type: 'string',
    value: '<id>',
    help: 'Sign in as this client, for an authorization server that does not register clients.',
  },
  'client-secret': {
    type: 'string',
    value: '<variable>',
    help: 'Secret of --client-id: "${input:secret}" reads it from TOOLGATE_INPUT_secret.',
  },
  'redirect-port': {
    type: 'string',
    value: '<port>',
    help: 'Port of the redirect address that is registered for --client-id. Default: any free port.',
  },
  all: { type: 'boolean', help: 'Sign out of every server, also in other folders.' },
  allow: {
    type: 'string',
    value: '<file>',
    offers: 'file',
    help: 'File of rules that allow calls, in the format of the setting "toolgate.rules".',
  },
  'max-risk': {
    type: 'string',
    value: '<level>',
    offers: riskLevels,
    help: 'Allow calls up to this risk: readOnly, additive or destructive.',
  },
  'pass-env': {
    type: 'string',
    multiple: true,
    value: '<name>',
    help: 'Let call files use this environment variable ("${env:…}"). Repeatable.',
  },
  'pass-input': {
    type: 'string',
    multiple: true,
    value: '<name>',
    help: 'Let call files use this input ("${input:…}"). Repeatable.',
  },
  'pass-answers': {
    type: 'boolean',
    help: 'Let call files send answers of one server to another.',
  },
  env: {
    type: 'string',
    multiple: true,
    value: '<names>',
    help: 'Environment for "${var:…}"; with several, every file runs with each.',
  },
  environments: {
    type: 'string',
    value: '<file>',
    offers: 'file',
    help: 'JSON file of environments by name.',
  },
  reporter: {
    type: 'string',
    multiple: true,
    value: '<name>',
    offers: reporterNames,
    help: 'Report on standard output: spec (default), tap, junit, json or github. Repeatable: you can combine spec and github.',
  },
  output: {
    type: 'string',
    multiple: true,
    value: '<name>=<file>',
    help: 'Also write a report to a file, such as junit=report.xml. Repeatable.',
  },
  grep: {
    type: 'string',
    short: 'g',
    value: '<pattern>',
    help: 'Run only calls whose "file: name" matches, and the calls they need; list only entries whose name, title or description matches.',
  },
  bail: { type: 'boolean', help: 'Start no further calls after the first failure.' },
  retries: {
    type: 'string',
    value: '<number>',
    help: 'Repeat a failed call up to this many times.',
  },
  jobs: {
    type: 'string',
    short: 'j',
    value: '<number>',
    help: 'Number of files that run at a time. Default: 1.',
  },
  fresh: { type: 'boolean', help: 'Restart servers for each file.' },
  update: {
    type: 'boolean',
    short: 'u',
    help: 'Write the actual results to call files that expect other ones.',
  },
  watch: {
    type: 'boolean',
    short: 'w',
    help: 'Run again when call files, the configuration or programs of servers in this folder change.',
  },
  json: { type: 'boolean', help: 'Write one JSON object.' },
  schema: { type: 'boolean', help: 'Show the input and output schemas of tools, too.' },
  typescript: {
    type: 'boolean',
    help: 'Write a TypeScript module with the types of the tools, and a function that calls them.',
  },
  apps: {
    type: 'boolean',
    help: 'Declare support of MCP Apps to servers, and show the app of each tool and what it requests.',
  },
  coverage: {
    type: 'boolean',
    help: 'Report which of the offered tools were called.',
  },
  strict: {
    type: 'boolean',
    help: 'Also fail on findings: output that is not a message, questions, servers that exit. For call: fail on a result that breaks its schema.',
  },
  arguments: {
    type: 'string',
    value: '<json>',
    help: 'Arguments of the call; - reads them from standard input.',
  },
  text: { type: 'boolean', help: 'Write the result as text instead of JSON.' },
  save: {
    type: 'string',
    value: '<folder>',
    offers: 'folder',
    help: 'Save images, audio and resources of the result as new files in this folder.',
  },
  'tail-log': {
    type: 'string',
    value: '<folder>',
    offers: 'folder',
    help: 'Show the last lines of log files in this folder that the result names (logPath, logFile).',
  },
  timeout: {
    type: 'string',
    value: '<ms>',
    help: 'Time limit in milliseconds for calls without their own. Default: 60000.',
  },
  'start-timeout': {
    type: 'string',
    value: '<ms>',
    help: 'Time limit in milliseconds for the start of a server. Default: 30000.',
  },
  revision: {
    type: 'string',
    value: '<revision>',
    offers: revisions,
    help: 'Offer this MCP revision to servers, such as 2025-06-18.',
  },
  journal: {
    type: 'string',
    value: '<folder>',
    offers: 'folder',
    help: 'Record every call and decision in this folder; a call that cannot be recorded is not made.',
  },
  record: {
    type: 'string',
    value: '<file>',
    offers: 'file',
    help: 'Write all messages to and from servers to a new file (*.mcprecord).',
  },
  'record-omit': {
    type: 'string',
    multiple: true,
    value: '<pointer>',
    help: 'Omit the value at this JSON pointer from recorded messages. Repeatable.',
  },
  http: {
    type: 'string',
    value: '<port>',
    help: 'Serve agents over HTTP on this port of 127.0.0.1, instead of one on standard input; 0 uses any free port.',
  },
  token: {
    type: 'string',
    value: '<variable>',
    help: 'Bearer token of agents over HTTP, such as "${env:TOKEN}". Default: a random one, which is shown.',
  },
  replay: {
    type: 'string',
    value: '<file>',
    offers: 'file',
    help: 'Answer from this recording instead of the servers.',
  },
  'replay-speed': {
    type: 'string',
    value: '<number>',
    help: 'Keep the recorded pauses, divided by this number. Default: no pauses.',
  },
  meta: {
    type: 'string',
    multiple: true,
    value: '<name=value>',
    help: 'Send this member of "_meta" with the request; := for JSON. Repeatable.',
  },
  session: {
    type: 'string',
    value: '<id>',
    help: 'Session in which the task was created, as "call --detach" writes it.',
  },
  detach: {
    type: 'boolean',
    help: 'Run the call as a task, and write its id without waiting for the result.',
  },
  'log-level': {
    type: 'string',
    value: '<level>',
    offers: logLevels,
    help: 'Request log messages of servers from this level, and write them to standard error.',
  },
  verbose: { type: 'boolean', help: 'Write what servers log to standard error.' },
  help: { type: 'boolean', short: 'h', help: 'Show this help, or the help of a command.' },
  version: { type: 'boolean', help: 'Show the version.' },
} as const satisfies Readonly<Record<string, OptionEntry>>;

export type OptionName = keyof typeof optionTable;
