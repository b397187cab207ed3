import { homedir } from 'node:os';
import path from 'node:path';
import type { ClientInfo } from '../core/eras/era';
import { assertNever } from '../core/errors';
import { SecretValues } from '../host/secrets/secretValues';
import { callCommand } from './callCommand';
import { cliLog } from './cliLog';
import { parseOptions, usageText, type CliOptions } from './cliOptions';
import { CliOutput, type Streams } from './cliOutput';
import { cliRules } from './cliRules';
import { CliSession } from './cliSession';
import { CliEnvironments, CliValues, type ProcessEnvironment } from './cliValues';
import { diagnoseCommand } from './diagnoseCommand';
import { exitCodes, UsageError, type ExitCode } from './exitCodes';
import { findCallFiles } from './findCallFiles';
import { journalCommand } from './journalCommand';
import { listCommand } from './listCommand';
import { readServers } from './readServers';
import { JsonReporter } from './reporters/jsonReporter';
import { JunitReporter } from './reporters/junitReporter';
import type { Reporter } from './reporters/report';
import { SpecReporter } from './reporters/specReporter';
import { TapReporter } from './reporters/tapReporter';
import { TestCommand } from './testCommand';

export interface CliWorld {
  readonly argv: readonly string[];
  readonly env: ProcessEnvironment;
  readonly folder: string;
  readonly streams: Streams;
  readonly version: string;
  /** The script of the demo server. */
  readonly demoServer: string;
  /** Called once with what ends everything that goes on. */
  readonly onCancel: (cancel: () => void) => void;
}

/** Runs one command line to its end. Never rejects for anything that was typed, or that servers do. */
export async function runCli(world: CliWorld): Promise<ExitCode> {
  const secrets = new SecretValues();
  const output = new CliOutput(world.streams, secrets, world.env['NO_COLOR']);
  try {
    return await run(parseOptions(world.argv), world, output, secrets);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    output.tell(`${error.message}\nSee toolgate --help.`);
    return exitCodes.wrongUsage;
  }
}

async function run(
  options: CliOptions,
  world: CliWorld,
  output: CliOutput,
  secrets: SecretValues,
): Promise<ExitCode> {
  const { command, operands } = options;
  const { folder } = world;
  if (command === 'help') output.report(usageText);
  else if (command === 'version') output.report(`${world.version}\n`);
  else if (command === 'journal') return journalCommand(operands, folder, output);
  else return withSession(options, world, output, secrets);
  return exitCodes.passed;
}

async function withSession(
  options: CliOptions,
  world: CliWorld,
  output: CliOutput,
  secrets: SecretValues,
): Promise<ExitCode> {
  const { folder, env } = world;
  // What was typed wrongly is told before anything starts.
  const files = options.command === 'test' ? await findCallFiles(folder, options.operands) : [];
  const environments = new CliEnvironments(folder, options.environments, options.env);
  const clientInfo: ClientInfo = { name: 'toolgate', title: 'Toolgate', version: world.version };
  const session = await openSession(options, world, clientInfo, output, secrets);
  world.onCancel(() => session.cancel());
  const parts = { session, output, secrets, env, clientInfo };
  try {
    if (options.command === 'test') {
      const values = new CliValues({ folder, env, passed: options.passEnv, secrets });
      const reporter = reporterOf(options, output);
      const test = new TestCommand({ folder, values, environments, reporter, ...parts });
      return await test.run(files, options.env);
    }
    if (options.command === 'list') return await listCommand(options.operands, parts);
    if (options.command === 'diagnose') return await diagnoseCommand(options.operands, parts);
    const given = options.arguments === undefined ? {} : { arguments: options.arguments };
    return await callCommand(options.operands, { ...parts, ...given });
  } finally {
    await session.end();
  }
}

async function openSession(
  { serverConfig: file, allow, maxRisk, journal, isVerbose }: CliOptions,
  { folder, env, demoServer }: CliWorld,
  clientInfo: ClientInfo,
  output: CliOutput,
  secrets: SecretValues,
): Promise<CliSession> {
  const rules = cliRules({
    folder,
    ...(allow === undefined ? {} : { allow }),
    ...(maxRisk === undefined ? {} : { maxRisk }),
  });
  const where = { folder, env, userHome: homedir(), demoServer };
  const servers = await readServers({ ...where, ...(file === undefined ? {} : { file }) });
  return new CliSession({
    folder,
    env,
    clientInfo,
    servers,
    rules,
    secrets,
    log: cliLog(output, isVerbose),
    ...(journal === undefined ? {} : { journal: path.resolve(folder, journal) }),
  });
}

function reporterOf({ reporter }: CliOptions, output: CliOutput): Reporter {
  switch (reporter) {
    case 'tap':
      return new TapReporter();
    case 'junit':
      return new JunitReporter();
    case 'json':
      return new JsonReporter();
    case 'spec':
      return new SpecReporter(output.paint);
    default:
      return assertNever(reporter);
  }
}
