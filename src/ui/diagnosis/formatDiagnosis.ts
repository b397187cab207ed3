import * as l10n from '@vscode/l10n';
import { assertNever, type McpError } from '../../core/errors';
import { visibleText } from '../../core/visibleText';
import type { ServerConfig } from '../../host/configuration/serverConfig';
import type { Step, ClientSource, StepFact } from '../../host/diagnosis/steps';
import { formatStepFact, formatStepTitle, type OtherFact } from '../../texts/diagnosisFacts';
import { formatStepFix } from '../../texts/diagnosisFixes';
import { formatNotice } from '../format/formatProcess';
import { configProblemSentence } from '../format/sentencesOfProblems';
import { errorSentence, saidOnStderr } from '../format/sentences';
import { formatDuration } from '../format/formatTime';
import { formatClient, accountLines } from '../authorization/formatSignIn';
const maxVersionChars = 1_000;

/** Returns the result as Markdown source, as far as the diagnosis has come. */
export function diagnosisText(
  config: ServerConfig,
  steps: readonly Step[],
  versions: readonly string[],
): string {
  // The diagnosis is not finished before its first step is known.
  const isOver = steps.length > 0 && !steps.some(isOpen);
  const failed = steps.find(({ state }) => state === 'failed');
  return [
    `# ${l10n.t('Diagnosis of server {0}', codeText(config.label))}`,
    verdict(isOver, failed, steps),
    ...steps.map((step) => stepText(config.label, step)),
    '---',
    versions.map((line) => `- ${visibleText(line, maxVersionChars)}`).join('\n'),
    '',
  ].join('\n\n');
}

function isOpen({ state }: Step): boolean {
  return state === 'waiting' || state === 'running';
}

function verdict(isOver: boolean, failed: Step | undefined, steps: readonly Step[]): string {
  if (!isOver)
    return l10n.t('Diagnosing… A server that does not answer is given its whole time limit.');
  if (failed === undefined) {
    return steps.some(isPartial)
      ? l10n.t('No failure was found, but not all schemas were checked. No tool was called.')
      : l10n.t('Everything works. No tool was called.');
  }
  const said = failed.error === undefined ? '' : saidOnStderr(failed.error.facts);
  return [
    l10n.t('First failed step: {0}. No tool was called.', formatStepTitle(failed.name)),
    ...(said === '' ? [] : [l10n.t('stderr: {0}', codeText(said))]),
  ].join(' ');
}

function isPartial({ facts }: Step): boolean {
  return facts.some((fact) => fact.kind === 'schemas' && fact.schemas < fact.total);
}

function stepText(label: string, step: Step): string {
  const time = step.durationMs === undefined ? '' : ` (${formatDuration(step.durationMs)})`;
  const hasTime = step.state === 'passed' || step.state === 'failed';
  const lines = [
    ...step.facts.flatMap((fact) =>
      formatStepFact(fact, codeText, (other) => otherLines(label, other)),
    ),
    ...(step.state === 'failed'
      ? [formatStepFix(step, codeText, (error) => formatFailure(label, error))]
      : []),
  ];
  const heading = `## ${stateWord(step.state)} ${formatStepTitle(step.name)}${hasTime ? time : ''}`;
  return [
    heading,
    ...(lines.length === 0 ? [] : [lines.map((line) => `- ${line}`).join('\n')]),
  ].join('\n\n');
}

function stateWord(state: Step['state']): string {
  switch (state) {
    case 'passed':
      return `✓ ${l10n.t('Pass:')}`;
    case 'failed':
      return `✗ ${l10n.t('Failed:')}`;
    case 'skipped':
      // The line begins without a dash or dot, because VS Code highlights characters that look like
      // others.
      return l10n.t('Skipped:');
    case 'running':
      return `… ${l10n.t('Now:')}`;
    case 'waiting':
      return l10n.t('Next:');
    default:
      return assertNever(state);
  }
}

function otherLines(label: string, fact: OtherFact): readonly string[] {
  switch (fact.kind) {
    case 'problems':
      return fact.problems.map((problem) => codeText(configProblemSentence(problem)));
    case 'notices':
      return fact.notices.map((notice) => codeText(formatNotice(label, notice).sentence));
    case 'signInPlace':
    case 'signInServer':
    case 'clientId':
    case 'account':
      return formatSignInFact(fact);
    default:
      return assertNever(fact);
  }
}

/**
 * The text is formatted as code, because it quotes the server and must not be rendered where it is
 * pasted.
 */
function formatFailure(label: string, error: McpError): string {
  // Its own sentence would refer to this document.
  const { stdoutTail, misframed } = error.facts;
  const isKnown = stdoutTail !== undefined || misframed !== undefined;
  return error.code === 'handshakeTimeout' && !isKnown
    ? l10n.t('No answer in time. The server may be waiting for input, or not be an MCP server.')
    : codeText(errorSentence(label, error));
}

const maxChars = 1_000;

/** Returns foreign text as Markdown code, which is rendered unchanged. */
function codeText(text: string): string {
  return `\`${visibleText(text, maxChars).replaceAll('`', "'")}\``;
}

type SignInFact = Extract<
  StepFact,
  { kind: 'signInPlace' | 'signInServer' | 'clientId' | 'account' }
>;

/** Returns a step towards the sign-in as Markdown source, without values of tokens. */
function formatSignInFact(fact: SignInFact): string[] {
  switch (fact.kind) {
    case 'signInPlace':
      return [
        l10n.t('Audience: {0}', codeText(fact.resource)),
        l10n.t('Sign-in page: {0}', fact.issuers.map(codeText).join(', ')),
      ];
    case 'signInServer':
      return [
        fact.isByCode
          ? l10n.t('{0}, which signs you in with a code that you enter.', codeText(fact.issuer))
          : l10n.t('{0}, which offers PKCE with S256.', codeText(fact.issuer)),
        fact.namesItself
          ? l10n.t('Its responses name the issuer (iss).')
          : l10n.t('Its responses do not name the issuer (iss).'),
        fact.revokes
          ? l10n.t('Signing out also revokes access at the server.')
          : l10n.t('Signing out cannot revoke access at the server.'),
      ];
    case 'clientId':
      return [formatClientSource(fact.way)];
    case 'account':
      return accountLines(fact.account).map(codeText);
    default:
      return assertNever(fact);
  }
}

function formatClientSource(way: ClientSource): string {
  if (way === 'register') return l10n.t('It registers Toolgate at the first sign-in.');
  if (way === 'entered') {
    return l10n.t(
      'It has no registration. Create an app there, and enter its client ID when you sign in.',
    );
  }
  return l10n.t('Client: {0}', formatClient(way));
}
