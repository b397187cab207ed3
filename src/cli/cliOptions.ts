import { parseArgs } from 'node:util';
import { parsePattern } from '../core/bounds/patterns';
import { logLevels } from '../core/log';
import { riskLevels } from '../core/risk';
import { revisions } from '../core/types';
import { UsageError } from './exitCodes';
import {
  commandNames,
  commandTable,
  isCommand,
  type CliCommand,
  type CommandEntry,
} from './options/commandTable';
import { optionNames } from './options/help';
import { didYouMean } from '../core/nearestName';
import {
  optionTable,
  reporterNames,
  type OptionEntry,
  type OptionName,
  type ReporterName,
} from './options/optionTable';
import { typedMeta } from './typedArguments';
import { typedServerOf } from './typedServer';

/** The parsed command line; the table of options says what each means. Files and servers are not accessed yet. */
export type CliOptions = Readonly<ReturnType<typeof parseOptions>>;

type Command = CliCommand | 'version';

const maxReplaySpeed = 1_000_000;
const maxRetries = 100;
const maxJobs = 64;
const maxPort = 65_535;
/** A day. */
const maxTimeoutMs = 86_400_000;
/** These reports can share standard output; others need it alone. */
const sharing: readonly ReporterName[] = ['spec', 'github'];

/**
 * Parses the words of a command line. @throws {UsageError}
 * @param allowed The options that may be used here. Default: all of the command.
 */
export function parseOptions(argv: readonly string[], allowed = optionNames()) {
  const { values, positionals } = parse(argv);
  const [first, ...rest] = positionals;
  const command = commandOf(first, values);
  const operands: readonly string[] = values.help === true ? positionals.slice(0, 1) : rest;
  if (values.help !== true) checkUse(command, values, allowed);
  const typedServer = typedServerOf(values);
  const isNamed = typedServer === undefined || !takesServer(command);
  return {
    command,
    /** The words after the command: files and names. */
    operands: isNamed ? operands : [typedServer.name, ...operands],
    /** Replaces all other servers. */
    typedServer,
    /** The options that name the servers, for another command line. */
    launch: launchOf(values),
    serverConfig: values['server-config'],
    allow: values.allow,
    journal: values.journal,
    to: values.to,
    maxRisk: optionalOneOf('max-risk', riskLevels, values),
    ...valuesOf(values),
    ...reportsOf(values),
    run: runOf(values),
    ...ofOneServer(values),
    callTimeoutMs: wholeNumber('timeout', 1, maxTimeoutMs, values),
    startTimeoutMs: wholeNumber('start-timeout', 1, maxTimeoutMs, values),
    revision: optionalOneOf('revision', revisions, values),
    ...recordingOf(values),
    usesSignIns: values['no-store'] !== true,
    login: loginOf(values),
    ...gatewayOf(values),
    isStrict: values.strict === true,
    isVerbose: values.verbose === true,
    logLevel: optionalOneOf('log-level', logLevels, values),
  };
}

function parse(argv: readonly string[]) {
  const args = [...argv];
  // The error for an unknown option shows the nearest known one.
  const { tokens } = parseArgs({ args, options: optionTable, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const known = optionNames().find((name) => name === token.name);
    if (known === undefined) {
      const near = didYouMean(token.name, optionNames(), '--');
      throw new UsageError(`There is no option ${token.rawName}.${near}`);
    }
    const { offers }: OptionEntry = optionTable[known];
    // An empty path would be this folder, for a variable of a shell that has no value.
    if (token.value === '' && (offers === 'file' || offers === 'folder')) {
      throw new UsageError(`${token.rawName} requires the name of a ${offers}.`);
    }
  }
  try {
    return parseArgs({ args, options: optionTable, allowPositionals: true, strict: true });
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    throw new UsageError(said.replaceAll('\n', ' ').replace(/\.?$/, '.'));
  }
}

type Values = ReturnType<typeof parse>['values'];

/** Returns the options for values of call files. */
function valuesOf(values: Values) {
  return {
    passEnv: values['pass-env'] ?? [],
    passInput: values['pass-input'] ?? [],
    passesAnswers: values['pass-answers'] === true,
    /** The path of the file of environments. */
    environments: values.environments,
    /** Names of environments. */
    env: (values.env ?? []).flatMap((each) => each.split(',')).filter((each) => each !== ''),
  };
}

/** Returns the options of commands for one server. */
function ofOneServer(values: Values) {
  return {
    isJson: values.json === true,
    hasSchemas: values.schema === true,
    hasApps: values.apps === true,
    isTypeScript: values.typescript === true,
    arguments: values.arguments,
    save: values.save,
    tailLog: values['tail-log'],
    isText: values.text === true,
    meta: typedMeta(values.meta),
    isDetached: values.detach === true,
    taskSession: values.session,
  };
}

function launchOf(values: Values): readonly string[] {
  return launchOptions.flatMap((name) => {
    const value = values[name];
    return value === undefined ? [] : [`--${name}`, value];
  });
}

const launchOptions = ['server-config', 'command', 'cwd', 'url', 'revision'] as const;

/** With --command or --url, these commands take no server name. */
function takesServer(command: Command): boolean {
  return command !== 'version' && commandTable[command].operands.startsWith('<server>');
}

function gatewayOf(values: Values) {
  const { token } = values;
  const http = wholeNumber('http', 0, maxPort, values);
  if (token !== undefined && http === undefined) throw new UsageError('--token requires --http.');
  return { http, token };
}

function loginOf(values: Values) {
  const { issuer, scope = [], all = false } = values;
  const [clientId, clientSecret] = [values['client-id'], values['client-secret']];
  if (clientSecret !== undefined && clientId === undefined) {
    throw new UsageError('--client-secret requires --client-id.');
  }
  return {
    opensBrowser: values['no-browser'] !== true,
    issuer,
    clientId,
    clientSecret,
    redirectPort: wholeNumber('redirect-port', 1, maxPort, values),
    scopes: scope,
    isForAll: all,
  };
}

function commandOf(
  name: string | undefined,
  values: { readonly help?: boolean | undefined; readonly version?: boolean | undefined },
): Command {
  if (values.version === true) return 'version';
  if (values.help === true) return 'help';
  if (isCommand(name)) return name;
  throw new UsageError(
    name === undefined
      ? 'No command is given.'
      : `There is no command "${name}".${didYouMean(name, commandNames)}`,
  );
}

/** Refuses options that have no effect on the command. */
function checkUse(command: Command, values: object, allowed: readonly OptionName[]): void {
  if (command === 'version') return;
  const { options }: CommandEntry = commandTable[command];
  const unused = optionNames().find(
    (name) => Object.hasOwn(values, name) && !(options.includes(name) && allowed.includes(name)),
  );
  if (unused === undefined) return;
  const here = options.includes(unused) ? ' here' : '';
  throw new UsageError(`${command} has no option --${unused}${here}.`);
}

function recordingOf(values: Values) {
  const { record, replay } = values;
  const speed = values['replay-speed'];
  if (record !== undefined && replay !== undefined) {
    throw new UsageError('Use either --record or --replay.');
  }
  if (speed !== undefined && !(Number(speed) > 0 && Number(speed) <= maxReplaySpeed)) {
    throw new UsageError('--replay-speed must be a number, such as 10 for ten times as fast.');
  }
  return {
    record,
    recordOmit: values['record-omit'] ?? [],
    replay,
    replaySpeed: speed === undefined ? undefined : Number(speed),
  };
}

function reportsOf({ reporter = ['spec'], output = [] }: Values) {
  const shown = reporter.map((name) => oneOf('reporter', reporterNames, name));
  const alone = shown.find((name) => !sharing.includes(name));
  if (shown.length > 1 && alone !== undefined) {
    throw new UsageError(
      `${alone} is a whole output of its own; write it into a file: --output ${alone}=<file>.`,
    );
  }
  const files = output.map((text) => {
    const [, name = '', file = ''] = /^([^=]*)=(.+)$/s.exec(text) ?? [];
    if (file === '') {
      throw new UsageError('--output must be a reporter and a file, such as junit=report.xml.');
    }
    return { reporter: oneOf('output', reporterNames, name), file };
  });
  return { reporter: shown, output: files };
}

function runOf(values: Values) {
  const { grep, update = false, fresh = false, env = [] } = values;
  const pattern = grep === undefined ? undefined : parsePattern(grep);
  if (grep !== undefined && pattern === undefined) {
    throw new UsageError('--grep must be a regular expression that does not take too long.');
  }
  const jobs = wholeNumber('jobs', 1, maxJobs, values) ?? 1;
  if (fresh && jobs > 1) throw new UsageError('Use either --fresh or --jobs.');
  if (update && env.join().includes(',')) {
    throw new UsageError(
      '--update takes one environment: an answer of one is not that of another.',
    );
  }
  return {
    grep: pattern,
    bails: values.bail === true,
    retries: wholeNumber('retries', 0, maxRetries, values) ?? 0,
    jobs,
    isFresh: fresh,
    updates: update,
    hasCoverage: values.coverage === true,
    watches: watchesFiles(values),
  };
}

/** Refuses --watch together with options that write into a new place once. */
function watchesFiles({ watch, journal, record }: Values): boolean {
  if (watch === true && (journal !== undefined || record !== undefined)) {
    throw new UsageError('--watch cannot be combined with --journal or --record.');
  }
  return watch === true;
}

/** @throws {UsageError} */
function oneOf<Choice extends string>(
  option: OptionName,
  choices: readonly Choice[],
  text: string,
): Choice {
  const choice = choices.find((each) => each === text);
  if (choice !== undefined) return choice;
  throw new UsageError(
    `--${option} must be one of ${choices.join(', ')}.${didYouMean(text, choices)}`,
  );
}

function optionalOneOf<Choice extends string>(
  option: 'max-risk' | 'revision' | 'log-level',
  choices: readonly Choice[],
  { [option]: text }: Values,
): Choice | undefined {
  return text === undefined ? undefined : oneOf(option, choices, text);
}

function wholeNumber(
  name: 'jobs' | 'retries' | 'timeout' | 'start-timeout' | 'redirect-port' | 'http',
  least: number,
  most: number,
  { [name]: text }: Values,
): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new UsageError(`--${name} must be an integer from ${least} to ${most}.`);
}
