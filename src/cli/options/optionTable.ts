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
  /** What completion offers as the value: these words, or names of files or folders. */
  readonly offers?: readonly string[] | 'file' | 'folder';
  readonly help: string;
}

/** The keys are names without `--`; the order is that of help. */
export const optionTable = {
  'server-config': {
    type: 'string',
    value: '<file>',
    offers: 'file',
    help: 'Servers: an mcp.json, or a file with "mcpServers". Default: .vscode/mcp.json and .mcp.json of this folder, as in the editor.',
  },
  command: {
    type: 'string',
    value: '<line>',
    help: 'A server that stands in no file: its program with arguments, such as "node server.mjs".',
  },
  cwd: {
    type: 'string',
    value: '<folder>',
    offers: 'folder',
    help: 'Folder in which --command runs. Default: this one.',
  },
  url: {
    type: 'string',
    value: '<address>',
    help: 'A server that stands in no file: its address.',
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
    help: 'What --command or --url is called in call files. Default: server.',
  },
  'no-store': { type: 'boolean', help: 'Use no sign-in that "toolgate login" has kept.' },
  'no-browser': { type: 'boolean', help: 'Show the address of the page and open no browser.' },
  scope: {
    type: 'string',
    multiple: true,
    value: '<scope>',
    help: 'Ask for this scope in place of those that the server names. Repeatable.',
  },
  issuer: {
    type: 'string',
    value: '<address>',
    help: 'Sign in at this one of the authorization servers that the server names.',
  },
  all: { type: 'boolean', help: 'Every sign-in that is kept, also of other folders.' },
  allow: {
    type: 'string',
    value: '<file>',
    offers: 'file',
    help: 'Rules that allow calls, as in the setting "toolgate.rules".',
  },
  'max-risk': {
    type: 'string',
    value: '<level>',
    offers: riskLevels,
    help: 'Allow what is no riskier: readOnly, additive or destructive.',
  },
  'pass-env': {
    type: 'string',
    multiple: true,
    value: '<name>',
    help: 'Let call files take the value of this variable ("${env:…}"). Repeatable.',
  },
  'pass-input': {
    type: 'string',
    multiple: true,
    value: '<name>',
    help: 'Let call files take the value of this input ("${input:…}"). Repeatable.',
  },
  'pass-answers': {
    type: 'boolean',
    help: 'Let call files hand what one server answered to another.',
  },
  env: {
    type: 'string',
    multiple: true,
    value: '<names>',
    help: 'Environment for "${var:…}"; of several, each is run.',
  },
  environments: {
    type: 'string',
    value: '<file>',
    offers: 'file',
    help: 'A JSON object of environments, by name.',
  },
  reporter: {
    type: 'string',
    multiple: true,
    value: '<name>',
    offers: reporterNames,
    help: 'Report on standard output: spec (default), tap, junit, json or github. Repeatable: spec and github go together.',
  },
  output: {
    type: 'string',
    multiple: true,
    value: '<name>=<file>',
    help: 'Write one more report into a file, such as junit=report.xml. Repeatable.',
  },
  grep: {
    type: 'string',
    short: 'g',
    value: '<pattern>',
    help: 'Run only calls whose "file: name" the pattern finds, and what they need; list only what has it in its name, title or description.',
  },
  bail: { type: 'boolean', help: 'Begin no more calls after the first that fails.' },
  retries: {
    type: 'string',
    value: '<number>',
    help: 'Make a call that fails again, at most so many times.',
  },
  jobs: {
    type: 'string',
    short: 'j',
    value: '<number>',
    help: 'Run so many files at a time. Default: one after the other.',
  },
  fresh: { type: 'boolean', help: 'Start servers anew for each file.' },
  update: {
    type: 'boolean',
    short: 'u',
    help: 'Write what comes into call files where it is not what they expect.',
  },
  watch: {
    type: 'boolean',
    short: 'w',
    help: 'Run again when call files, the configuration or programs of servers in this folder change.',
  },
  json: { type: 'boolean', help: 'Write one JSON object.' },
  schema: { type: 'boolean', help: 'Show the input and output schemas of tools, too.' },
  coverage: {
    type: 'boolean',
    help: 'Report which tools were called of those that servers offer.',
  },
  strict: {
    type: 'boolean',
    help: 'Fail by findings, too: output that is no message, questions, ends of servers; fail a call by an answer that breaks the schema of its tool.',
  },
  arguments: {
    type: 'string',
    value: '<json>',
    help: 'Arguments of the call; - reads them from standard input.',
  },
  text: { type: 'boolean', help: 'Write the texts of the result and no JSON.' },
  save: {
    type: 'string',
    value: '<folder>',
    offers: 'folder',
    help: 'Write pictures, sound and resources of the result into new files there.',
  },
  timeout: {
    type: 'string',
    value: '<ms>',
    help: 'Time limit of a call that has none of its own. Default: 60000.',
  },
  'start-timeout': {
    type: 'string',
    value: '<ms>',
    help: 'Time limit of the start of a server. Default: 30000.',
  },
  revision: {
    type: 'string',
    value: '<revision>',
    offers: revisions,
    help: 'Revision of the protocol to offer to servers, such as 2025-06-18.',
  },
  journal: {
    type: 'string',
    value: '<folder>',
    offers: 'folder',
    help: 'Record every call and decision there; without a record nothing is called.',
  },
  record: {
    type: 'string',
    value: '<file>',
    offers: 'file',
    help: 'Write everything that is exchanged with servers into a new file (*.mcprecord).',
  },
  'record-omit': {
    type: 'string',
    multiple: true,
    value: '<pointer>',
    help: 'Leave out what stands there in messages. Repeatable.',
  },
  replay: {
    type: 'string',
    value: '<file>',
    offers: 'file',
    help: 'Let the recording answer in place of the servers.',
  },
  'replay-speed': {
    type: 'string',
    value: '<number>',
    help: 'With the recorded pauses, so many times as fast. Default: without any.',
  },
  verbose: { type: 'boolean', help: 'Write what servers log to standard error.' },
  help: { type: 'boolean', short: 'h', help: 'Show this help, or that of a command.' },
  version: { type: 'boolean', help: 'Show the version.' },
} as const satisfies Readonly<Record<string, OptionEntry>>;

export type OptionName = keyof typeof optionTable;
