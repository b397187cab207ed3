import { riskLevels } from '../../core/risk';

export const reporterNames = ['spec', 'tap', 'junit', 'json'] as const;
export type ReporterName = (typeof reporterNames)[number];

/** One option, of one command or several. Parsing, help, completion and suggestions are made from it. */
export interface OptionEntry {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  readonly multiple?: true;
  /** What stands for the value in help. */
  readonly value?: string;
  /** What completion offers as the value: these words, or names of files or folders. */
  readonly offers?: readonly string[] | 'file' | 'folder';
  readonly help: string;
}

/** By the name behind `--`, in the order of help. */
export const optionTable = {
  'server-config': {
    type: 'string',
    value: '<file>',
    offers: 'file',
    help: 'Servers: an mcp.json, or a file with "mcpServers". Default: .vscode/mcp.json and .mcp.json of this folder, as in the editor.',
  },
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
    value: '<name>',
    offers: reporterNames,
    help: 'spec, tap, junit or json.',
  },
  strict: {
    type: 'boolean',
    help: 'Fail by findings, too: output that is no message, questions, ends of servers.',
  },
  arguments: { type: 'string', value: '<json>', help: 'Arguments of the call.' },
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
