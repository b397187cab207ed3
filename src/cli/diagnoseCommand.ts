import { assertNever, type McpError } from '../core/errors';
import { visibleText } from '../core/visibleText';
import { Diagnosis } from '../host/diagnosis/diagnosis';
import { registerServerSecrets } from '../host/secrets/configuredSecrets';
import type { ClientSource, Step } from '../host/diagnosis/steps';
import { formatConfigProblem } from '../texts/configProblems';
import {
  formatStepFact,
  formatStepTitle,
  type FormatCode,
  type OtherFact,
} from '../texts/diagnosisFacts';
import { formatStepFix } from '../texts/diagnosisFixes';
import { formatProcessNotice } from '../texts/processNotices';
import type { CommandTools } from './commandTools';
import { inputsFrom } from './cliValues';
import { environmentProxy } from './environmentProxies';
import { errorMessage } from './errorMessage';
import { exitCodes, type ExitCode } from './exitCodes';
import { onlyServer } from './typedServer';

const maxFactChars = 2_000;
const marks = { passed: '✓', failed: '✗', skipped: '–', running: '…', waiting: ' ' } as const;

/**
 * Diagnoses the connection to a server and writes a line with the findings for each step. Calls no
 * tool.
 */
export async function diagnoseCommand(
  operands: readonly string[],
  { session, signIns, output, clientInfo, secrets, env }: CommandTools,
): Promise<ExitCode> {
  const id = onlyServer('diagnose', operands);
  const server = session.named(id);
  const diagnosis = new Diagnosis({
    clientInfo,
    processes: session.processes,
    programs: session.programs,
    inputs: inputsFrom(env, secrets),
    holdSecrets: registerServerSecrets(secrets),
    redact: (text) => secrets.redact(text),
    proxyOf: (url) => environmentProxy(url, env),
    signInOf: (config, transport) => signIns.forDiagnosis(config, transport),
    limits: () => session.limits,
  });
  const steps = await diagnosis.walk(
    server.config,
    server.configProblems,
    ignoreProgress,
    session.token,
  );
  for (const step of steps) output.report(stepText(id, step, output.redact));
  if (session.isCancelled) return exitCodes.cancelled;
  return steps.some(({ state }) => state === 'failed') ? exitCodes.serverFailed : exitCodes.passed;
}

/** No progress is shown, because the report is written at the end. */
function ignoreProgress(): void {
  // Each step ends within its own time limit.
}

/** Formats a step like the editor, with what to do about a failure. */
function stepText(id: string, step: Step, redact: (text: string) => string): string {
  const { name, state, facts, error, durationMs } = step;
  const took = durationMs === undefined ? '' : ` (${durationMs} ms)`;
  const code = (text: string): string => visibleText(redact(text), maxFactChars);
  const other = (fact: OtherFact): readonly string[] => otherLines(id, fact, code);
  const failed = (thrown: McpError): string => errorMessage(thrown, redact);
  const lines = [
    ...facts.flatMap((fact) => formatStepFact(fact, code, other)),
    ...(state === 'failed' ? [formatStepFix(step, code, failed)] : []),
    ...(error?.facts.searched ?? []).map((folder) => `searched: ${code(folder)}`),
  ];
  const below = lines.flatMap((line) => line.split('\n')).map((line) => `    ${line}\n`);
  return [`${marks[state]} ${formatStepTitle(name)}${took}\n`, ...below].join('');
}

function otherLines(id: string, fact: OtherFact, code: FormatCode): readonly string[] {
  switch (fact.kind) {
    case 'problems':
      return fact.problems.map((problem) =>
        formatConfigProblem(problem, (text) => code(text ?? '')),
      );
    case 'notices':
      return fact.notices.map((notice) => formatProcessNotice(code(id), notice).sentence);
    case 'signInPlace':
      return [
        `Tokens are for: ${code(fact.resource)}`,
        `Authorization servers: ${fact.issuers.map(code).join(' ')}`,
      ];
    case 'signInServer':
      return [
        `${code(fact.issuer)}${fact.isByCode ? ' signs in by a code to type' : ' has PKCE with S256'}`,
        `"toolgate logout" ${fact.revokes ? 'revokes' : 'cannot revoke'} access there.`,
      ];
    case 'clientId':
      return [clientWays[fact.way]];
    case 'account': {
      const { label, issuer, scopes } = fact.account;
      const who = label === '' ? '' : ` as ${code(label)}`;
      return [`Signed in at ${code(issuer)}${who}, scopes: ${code(scopes.join(' '))}`];
    }
    default:
      return assertNever(fact);
  }
}

const clientWays: Readonly<Record<ClientSource, string>> = {
  configured: 'The client id is that of the entry.',
  given: 'The client id was entered by the user.',
  document: 'The client id is a document.',
  registered: 'Toolgate is registered there.',
  register: 'It registers Toolgate at the first sign-in.',
  entered: 'It registers no clients: put "oauth": { "clientId": … } into the entry.',
};
