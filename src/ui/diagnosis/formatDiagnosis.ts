import * as l10n from '@vscode/l10n';
import { assertNever } from '../../core/errors';
import { visibleText } from '../../core/visibleText';
import type { ServerConfig } from '../../host/configuration/serverConfig';
import type { Step, StepFact, StepName } from '../../host/diagnosis/steps';
import { formatNotice } from '../format/formatProcess';
import { configProblemSentence } from '../format/sentencesOfProblems';
import { saidOnStderr } from '../format/sentences';
import { codeText } from './codeText';
import { formatSignInFact } from './formatSignInFacts';
import { formatFix } from './diagnosisFixes';
import { formatDuration } from '../format/formatTime';

const maxVersionChars = 1_000;

/** What was found out, as Markdown source; complete as far as the walk has come. */
export function diagnosisText(
  config: ServerConfig,
  steps: readonly Step[],
  versions: readonly string[],
): string {
  // Before the first step is known, none is over.
  const isOver = steps.length > 0 && !steps.some(isOpen);
  const failed = steps.find(({ state }) => state === 'failed');
  return [
    `# ${l10n.t('Diagnosis of the server {0}', codeText(config.label))}`,
    verdict(isOver, failed),
    ...steps.map((step) => stepText(config.label, step)),
    '---',
    versions.map((line) => `- ${visibleText(line, maxVersionChars)}`).join('\n'),
    '',
  ].join('\n\n');
}

function isOpen({ state }: Step): boolean {
  return state === 'waiting' || state === 'running';
}

function verdict(isOver: boolean, failed: Step | undefined): string {
  if (!isOver) return l10n.t('Looking… A server that does not answer takes its whole time limit.');
  if (failed === undefined) return l10n.t('Everything works. No tool was called.');
  const said = failed.error === undefined ? '' : saidOnStderr(failed.error.facts);
  return [
    l10n.t('The first step that failed: {0}. No tool was called.', stepTitle(failed.name)),
    ...(said === '' ? [] : [l10n.t('It said on stderr: {0}', codeText(said))]),
  ].join(' ');
}

function stepText(label: string, step: Step): string {
  const time = step.durationMs === undefined ? '' : ` (${formatDuration(step.durationMs)})`;
  const hasTime = step.state === 'passed' || step.state === 'failed';
  const lines = [
    ...step.facts.flatMap((fact) => factLines(label, fact)),
    ...(step.state === 'failed' ? [formatFix(label, step)] : []),
  ];
  const heading = `## ${stateWord(step.state)} ${stepTitle(step.name)}${hasTime ? time : ''}`;
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
      // No dash or dot before it: VS Code draws boxes round those, for they look like others.
      return l10n.t('Skipped:');
    case 'running':
      return `… ${l10n.t('Now:')}`;
    case 'waiting':
      return l10n.t('Next:');
    default:
      return assertNever(state);
  }
}

const titles: Record<StepName, () => string> = {
  configuration: () => l10n.t('configuration'),
  variables: () => l10n.t('variables'),
  program: () => l10n.t('program found'),
  process: () => l10n.t('process runs'),
  stdout: () => l10n.t('stdout holds nothing but messages'),
  address: () => l10n.t('address'),
  proxy: () => l10n.t('proxy'),
  tls: () => l10n.t('TLS'),
  status: () => l10n.t('HTTP status'),
  contentType: () => l10n.t('content type'),
  challenge: () => l10n.t('demand for a sign-in'),
  signInPlace: () => l10n.t('where one signs in'),
  signInServer: () => l10n.t('authorization server'),
  clientId: () => l10n.t('way to a client id'),
  redirect: () => l10n.t('address to come back to'),
  account: () => l10n.t('account'),
  era: () => l10n.t('protocol era'),
  handshake: () => l10n.t('handshake'),
  capabilities: () => l10n.t('capabilities'),
  tools: () => l10n.t('tools listed'),
  schemas: () => l10n.t('schemas compile'),
  end: () => l10n.t('ends in order'),
};

function stepTitle(name: StepName): string {
  return titles[name]();
}

function factLines(label: string, fact: StepFact): readonly string[] {
  switch (fact.kind) {
    case 'problems':
      return fact.problems.map((problem) => codeText(configProblemSentence(problem)));
    case 'variables':
      return [
        ...(fact.names.length === 0
          ? []
          : [l10n.t('Set, values not shown: {0}', list(fact.names))]),
        ...(fact.inputs === 0 ? [] : [l10n.t('Inputs filled in: {0}', fact.inputs)]),
      ];
    case 'program':
      return [formatProgram(fact.program)];
    case 'pid':
      return [l10n.t('Process {0}, one of its own for this diagnosis.', String(fact.pid))];
    case 'installed':
      return [l10n.t('A package manager installed what it runs; that time did not count.')];
    case 'endedAtQuestion':
      return [
        l10n.t(
          'It ended when asked for its protocol, so it was started again without that question.',
        ),
      ];
    case 'garbage':
      return [
        l10n.t('Lines that are no messages: {0}. The first: {1}', fact.lines, codeText(fact.first)),
      ];
    case 'stderr':
      return [
        [
          l10n.t('On stderr, the last of {0} lines:', fact.lines),
          ...fact.last.map((line) => `  - ${codeText(line)}`),
        ].join('\n'),
      ];
    case 'address':
      return [
        fact.ip === undefined
          ? codeText(fact.host)
          : `${codeText(fact.host)} = ${codeText(fact.ip)}`,
      ];
    case 'proxy':
      return [
        fact.address === undefined ? l10n.t('None is set.') : codeText(fact.address),
        ...(fact.status === undefined ? [] : [l10n.t('It answered with status {0}.', fact.status)]),
      ];
    case 'tlsTrouble':
      return formatCertificate(fact);
    case 'tls':
      return [
        l10n.t('{0}, certificate valid to {1}', codeText(fact.protocol), codeText(fact.validTo)),
      ];
    case 'notEncrypted':
      return [l10n.t('The address is not https.')];
    case 'status':
      return [String(fact.status)];
    case 'text':
      return fact.text === '' ? [] : [codeText(fact.text)];
    case 'signInPlace':
    case 'signInServer':
    case 'clientId':
    case 'account':
      return formatSignInFact(fact);
    case 'era':
      return [formatEra(fact)];
    case 'server':
      return [l10n.t('It says that it is {0}; protocol {1}.', codeText(fact.name), fact.revision)];
    case 'names':
      return [fact.names.length === 0 ? l10n.t('None is declared.') : list(fact.names)];
    case 'tools':
      return [l10n.t('{0} tools, {1} of them not usable.', fact.tools, fact.unusable)];
    case 'schemas':
      return [l10n.t('{0} schemas.', fact.schemas), ...fact.broken.map(codeText)];
    case 'notices':
      return fact.notices.map((notice) => codeText(formatNotice(label, notice).sentence));
    default:
      return assertNever(fact);
  }
}

/** What the server shows of itself, where it was not accepted. */
function formatCertificate({
  certificate,
}: Extract<StepFact, { kind: 'tlsTrouble' }>): readonly string[] {
  if (certificate === undefined) return [];
  const { subject, issuer, validFrom, validTo } = certificate;
  return [
    l10n.t('Certificate of {0}, signed by {1}.', codeText(subject), codeText(issuer)),
    l10n.t('Valid from {0} to {1}.', codeText(validFrom), codeText(validTo)),
  ];
}

function formatProgram({
  file,
  foundBy,
  folder = '',
}: Extract<StepFact, { kind: 'program' }>['program']) {
  switch (foundBy) {
    case 'given':
      return l10n.t('{0}, as the configuration says.', codeText(file));
    case 'path':
      return l10n.t('{0}, on PATH.', codeText(file));
    case 'loginShell':
      return l10n.t('{0}, on the PATH of your login shell.', codeText(file));
    case 'folder':
      return l10n.t(
        '{0}. {1} is not on PATH; programs are looked for there too.',
        codeText(file),
        codeText(folder),
      );
    default:
      return assertNever(foundBy);
  }
}

function formatEra(fact: Extract<StepFact, { kind: 'era' }>): string {
  const { era, isSilent, status, isBroken } = fact;
  if (isBroken === true) {
    return l10n.t(
      'The connection broke over the question “server/discover”; tried with a handshake.',
    );
  }
  if (era === 'stateful' && status !== undefined) {
    return l10n.t(
      'The question “server/discover” was answered with HTTP status {0}; tried with a handshake.',
      status,
    );
  }
  if (isSilent) return l10n.t('No answer to the question; taken for a server with a handshake.');
  return era === 'stateless'
    ? l10n.t('Without handshake, as of 2026-07-28.')
    : l10n.t('With handshake, as before 2026-07-28.');
}

function list(names: readonly string[]): string {
  return names.map(codeText).join(', ');
}
