import { parseArgs } from 'node:util';
import { riskLevels, type RiskLevel } from '../core/risk';
import { UsageError } from './exitCodes';

export const commandNames = [
  'test',
  'call',
  'list',
  'diagnose',
  'journal',
  'replay',
  'gateway',
] as const;
export type CliCommand = (typeof commandNames)[number];

export const reporterNames = ['spec', 'tap', 'junit', 'json'] as const;
export type ReporterName = (typeof reporterNames)[number];

/** What was typed, checked as far as that can be done without looking at anything. */
export interface CliOptions {
  readonly command: CliCommand | 'help' | 'version';
  /** What stands behind the command: files, names. */
  readonly operands: readonly string[];
  readonly serverConfig?: string;
  /** Path of a file of rules. */
  readonly allow?: string;
  readonly maxRisk?: RiskLevel;
  /** Names of variables of the environment that call files may take values from. */
  readonly passEnv: readonly string[];
  /** Names of inputs that call files may take. */
  readonly passInput: readonly string[];
  /** Whether call files may hand what one server answered to another. */
  readonly passesAnswers: boolean;
  /** Names of environments: with several, each file runs once with each. */
  readonly env: readonly string[];
  /** Path of the file that holds them. */
  readonly environments?: string;
  readonly reporter: ReporterName;
  /** Of `call`: JSON. */
  readonly arguments?: string;
  /** Folder of the journal. */
  readonly journal?: string;
  readonly isVerbose: boolean;
  /** Whether what servers did beside their answers fails a run. */
  readonly isStrict: boolean;
  /** Path of the file into which everything that is exchanged is written. */
  readonly record?: string;
  /** JSON pointers into messages whose values are not recorded. */
  readonly recordOmit: readonly string[];
  /** Path of the recording that answers in place of the servers. */
  readonly replay?: string;
  /** How many times as fast as it was recorded; absent: without waiting. */
  readonly replaySpeed?: number;
}

const maxReplaySpeed = 1_000_000;

const known = {
  'server-config': { type: 'string' },
  allow: { type: 'string' },
  'max-risk': { type: 'string' },
  'pass-env': { type: 'string', multiple: true },
  'pass-input': { type: 'string', multiple: true },
  'pass-answers': { type: 'boolean' },
  env: { type: 'string', multiple: true },
  environments: { type: 'string' },
  reporter: { type: 'string' },
  arguments: { type: 'string' },
  journal: { type: 'string' },
  record: { type: 'string' },
  'record-omit': { type: 'string', multiple: true },
  replay: { type: 'string' },
  'replay-speed': { type: 'string' },
  strict: { type: 'boolean' },
  verbose: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const;

/** @throws {UsageError} */
export function parseOptions(argv: readonly string[]): CliOptions {
  const { values, positionals } = parse(argv);
  const [first, ...operands] = positionals;
  const { journal, environments, allow } = values;
  return {
    command: commandOf(first, values),
    operands,
    ...(values['server-config'] === undefined ? {} : { serverConfig: values['server-config'] }),
    ...(allow === undefined ? {} : { allow }),
    ...maxRiskOf(values['max-risk']),
    passEnv: values['pass-env'] ?? [],
    passInput: values['pass-input'] ?? [],
    passesAnswers: values['pass-answers'] === true,
    env: (values.env ?? []).flatMap((each) => each.split(',')).filter((each) => each !== ''),
    ...(environments === undefined ? {} : { environments }),
    reporter: reporterOf(values.reporter),
    ...(values.arguments === undefined ? {} : { arguments: values.arguments }),
    ...(journal === undefined ? {} : { journal }),
    ...recordingOf(values),
    isStrict: values.strict === true,
    isVerbose: values.verbose === true,
  };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: known, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function commandOf(
  name: string | undefined,
  values: { readonly help?: boolean | undefined; readonly version?: boolean | undefined },
): CliOptions['command'] {
  if (values.version === true) return 'version';
  if (values.help === true) return 'help';
  const command = commandNames.find((each) => each === name);
  if (command !== undefined) return command;
  throw new UsageError(
    name === undefined ? 'No command is given.' : `There is no command "${name}".`,
  );
}

function recordingOf(
  values: ReturnType<typeof parse>['values'],
): Pick<CliOptions, 'record' | 'recordOmit' | 'replay' | 'replaySpeed'> {
  const { record, replay } = values;
  const speed = values['replay-speed'];
  if (record !== undefined && replay !== undefined) {
    throw new UsageError('--record and --replay do not go together.');
  }
  if (speed !== undefined && !(Number(speed) > 0 && Number(speed) <= maxReplaySpeed)) {
    throw new UsageError('--replay-speed is a number, such as 10 for ten times as fast.');
  }
  return {
    ...(record === undefined ? {} : { record }),
    recordOmit: values['record-omit'] ?? [],
    ...(replay === undefined ? {} : { replay }),
    ...(speed === undefined ? {} : { replaySpeed: Number(speed) }),
  };
}

function maxRiskOf(text: string | undefined): Pick<CliOptions, 'maxRisk'> {
  if (text === undefined) return {};
  const maxRisk = riskLevels.find((level) => level === text);
  if (maxRisk !== undefined) return { maxRisk };
  throw new UsageError(`--max-risk is one of ${riskLevels.join(', ')}.`);
}

function reporterOf(text: string | undefined): ReporterName {
  const reporter = reporterNames.find((name) => name === (text ?? 'spec'));
  if (reporter !== undefined) return reporter;
  throw new UsageError(`--reporter is one of ${reporterNames.join(', ')}.`);
}

export const usageText = `Usage: toolgate <command> [options]

Commands
  test [files or folders]   Run call files (*.mcpcall) and check what they expect.
  call <server> <tool>      Call one tool. Its result is written to standard output.
  list [server]             List servers and their tools.
  diagnose <server>         Walk the way to a server, step by step.
  journal verify <folder>   Check that a journal is as it was written.
  gateway [servers]         Serve an agent on standard input and output, within the rules.
  replay <file> <server>    Be the recorded server, on standard input and output.

Options
  --server-config <file>    Servers: an mcp.json, or a file with "mcpServers". Default: .vscode/mcp.json
                            and .mcp.json of this folder, as in the editor.
  --allow <file>            Rules that allow calls, as in the setting "toolgate.rules".
  --max-risk <level>        Allow what is no riskier: readOnly, additive or destructive.
  --pass-env <name>         Let call files take the value of this variable ("\${env:…}"). Repeatable.
  --pass-input <name>       Let call files take the value of this input ("\${input:…}"). Repeatable.
  --pass-answers            Let call files hand what one server answered to another.
  --env <names>             Environment for "\${var:…}"; of several, each is run.
  --environments <file>     A JSON object of environments, by name.
  --reporter <name>         spec, tap, junit or json.
  --strict                  Fail by findings, too: output that is no message, questions, ends of servers.
  --arguments <json>        Arguments of call.
  --journal <folder>        Record every call and decision there; without a record nothing is called.
  --record <file>           Write everything that is exchanged with servers into a new file (*.mcprecord).
  --record-omit <pointer>   Leave out what stands there in messages. Repeatable.
  --replay <file>           Let the recording answer in place of the servers.
  --replay-speed <number>   With the recorded pauses, so many times as fast. Default: without any.
  --verbose                 Write what servers log to standard error.
  --help, --version

Inputs ("\${input:…}") are read from TOOLGATE_INPUT_<name>. Servers get theirs; call files those of --pass-input.

Exit codes: 0 passed, 1 failed, 2 wrong usage, 3 a call was denied, 4 the lock file differs,
5 a server did not start, 130 cancelled.
`;
