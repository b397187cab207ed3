import type { ClientInfo } from '../core/eras/era';
import { boundedJson } from '../core/json/boundedJson';
import { visibleText } from '../core/visibleText';
import { Diagnosis } from '../host/diagnosis/diagnosis';
import { proxyFor } from '../host/diagnosis/proxyFor';
import { holdIn } from '../host/secrets/configuredSecrets';
import type { SecretValues } from '../host/secrets/secretValues';
import type { CliOutput } from './cliOutput';
import type { CliSession } from './cliSession';
import { inputsFrom, type ProcessEnvironment } from './cliValues';
import { noProxySettings } from './environmentProxies';
import { errorWords } from './errorWords';
import { exitCodes, UsageError, type ExitCode } from './exitCodes';

export interface DiagnoseCommandOptions {
  readonly session: CliSession;
  readonly output: CliOutput;
  readonly clientInfo: ClientInfo;
  readonly secrets: SecretValues;
  readonly env: ProcessEnvironment;
}

const maxFactChars = 2_000;
const marks = { passed: '✓', failed: '✗', skipped: '–', running: '…', waiting: ' ' } as const;

/** Walks the way to a server, and writes a line for each step and what was found out. Calls no tool. */
export async function diagnoseCommand(
  operands: readonly string[],
  { session, output, clientInfo, secrets, env }: DiagnoseCommandOptions,
): Promise<ExitCode> {
  const [id, ...rest] = operands;
  if (id === undefined || rest.length > 0) throw new UsageError('diagnose takes one server.');
  const server = session.registry.find(id);
  if (server === undefined) throw new UsageError(session.noServer(id));
  const diagnosis = new Diagnosis({
    clientInfo,
    processes: session.processes,
    programs: session.programs,
    inputs: inputsFrom(env, secrets),
    holdSecrets: holdIn(secrets),
    redact: (text) => secrets.redact(text),
    proxyOf: (url) => proxyFor(url, noProxySettings, env),
    limits: () => session.limits,
  });
  const steps = await diagnosis.walk(
    server.config,
    server.configProblems,
    nobodyLooksOn,
    session.token,
  );
  for (const { name, state, facts, error, durationMs } of steps) {
    const took = durationMs === undefined ? '' : ` (${durationMs} ms)`;
    output.report(`${marks[state]} ${name}${took}\n`);
    for (const { kind, ...fact } of facts) {
      output.report(`    ${kind}: ${factText(fact, output.redact)}\n`);
    }
    if (error !== undefined) output.report(`    ${errorWords(error, output.redact)}\n`);
    for (const folder of error?.facts.searched ?? []) {
      output.report(`    searched: ${visibleText(output.redact(folder), maxFactChars)}\n`);
    }
  }
  if (session.isCancelled) return exitCodes.cancelled;
  return steps.some(({ state }) => state === 'failed') ? exitCodes.serverFailed : exitCodes.passed;
}

/** The report is written when the walk is over. */
function nobodyLooksOn(): void {
  // Each step ends within its own time limit.
}

/** Without the environment of the process: nobody reads it, and it may hold anything. */
function factText(fact: object, redact: (text: string) => string): string {
  const known: unknown = JSON.parse(JSON.stringify(fact), (_, value: unknown) =>
    typeof value === 'string' ? redact(value) : value,
  );
  const json = boundedJson(known, maxFactChars, (key) => key === 'env');
  return visibleText(json, maxFactChars);
}
