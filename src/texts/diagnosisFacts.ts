import * as l10n from '@vscode/l10n';
import { assertNever } from '../core/errors';
import type { StepFact, StepName } from '../host/diagnosis/steps';

/** Formats text from outside for the place where it is shown. */
export type FormatCode = (text: string) => string;

export type OtherFact = Extract<
  StepFact,
  { kind: 'problems' | 'notices' | 'signInPlace' | 'signInServer' | 'clientId' | 'account' }
>;

const titles: Record<StepName, () => string> = {
  configuration: () => l10n.t('Configuration'),
  variables: () => l10n.t('Variables'),
  program: () => l10n.t('Program found'),
  process: () => l10n.t('Process runs'),
  stdout: () => l10n.t('stdout has only messages'),
  address: () => l10n.t('URL'),
  proxy: () => l10n.t('Proxy'),
  tls: () => l10n.t('TLS'),
  status: () => l10n.t('HTTP status'),
  contentType: () => l10n.t('Content type'),
  challenge: () => l10n.t('Sign-in challenge'),
  signInPlace: () => l10n.t('Sign-in page'),
  signInServer: () => l10n.t('Authorization server'),
  clientId: () => l10n.t('Client registration'),
  redirect: () => l10n.t('Redirect URI'),
  account: () => l10n.t('Account'),
  era: () => l10n.t('Protocol era'),
  handshake: () => l10n.t('Handshake'),
  capabilities: () => l10n.t('Capabilities'),
  tools: () => l10n.t('Tools listed'),
  schemas: () => l10n.t('Schemas compile'),
  end: () => l10n.t('Clean exit'),
};

export function formatStepTitle(name: StepName): string {
  return titles[name]();
}

/**
 * Returns the findings of a step, in a line or two each. `code` limits text from outside and
 * formats it for display; `formatOther` formats the facts whose texts depend on the place.
 */
export function formatStepFact(
  fact: StepFact,
  code: FormatCode,
  formatOther: (fact: OtherFact) => readonly string[],
): readonly string[] {
  switch (fact.kind) {
    case 'variables':
      return [
        ...(fact.names.length === 0
          ? []
          : [l10n.t('Set, values hidden: {0}', list(fact.names, code))]),
        ...(fact.inputs === 0 ? [] : [l10n.t('Inputs used: {0}', fact.inputs)]),
      ];
    case 'program':
      return [formatProgram(fact.program, code)];
    case 'pid':
      return [l10n.t('Process {0}, started only for this diagnosis.', String(fact.pid))];
    case 'installed':
      return [l10n.t('A package manager installed packages; that time does not count.')];
    case 'endedAtQuestion':
      return [l10n.t('It exited during protocol detection and was restarted without it.')];
    case 'garbage':
      return [
        l10n.t('Lines that are not messages: {0}. The first: {1}', fact.lines, code(fact.first)),
      ];
    case 'stderr':
      return [
        [
          l10n.t('Last of {0} stderr lines:', fact.lines),
          ...fact.last.map((line) => `  - ${code(line)}`),
        ].join('\n'),
      ];
    case 'address':
      return [fact.ip === undefined ? code(fact.host) : `${code(fact.host)} = ${code(fact.ip)}`];
    case 'proxy':
      return [
        fact.address === undefined ? l10n.t('None set.') : code(fact.address),
        ...(fact.status === undefined ? [] : [l10n.t('It answered with status {0}.', fact.status)]),
      ];
    case 'tlsTrouble':
      return formatCertificate(fact, code);
    case 'tls':
      return [l10n.t('{0}, certificate valid until {1}', code(fact.protocol), code(fact.validTo))];
    case 'notEncrypted':
      return [l10n.t('The URL does not use https.')];
    case 'status':
      return [String(fact.status)];
    case 'text':
      return fact.text === '' ? [] : [code(fact.text)];
    case 'problems':
    case 'notices':
    case 'signInPlace':
    case 'signInServer':
    case 'clientId':
    case 'account':
      return formatOther(fact);
    case 'era':
      return [formatEra(fact)];
    case 'server':
      return [l10n.t('It identifies itself as {0}; protocol {1}.', code(fact.name), fact.revision)];
    case 'names':
      return [fact.names.length === 0 ? l10n.t('None declared.') : list(fact.names, code)];
    case 'tools':
      return [l10n.t('Tools: {0}, unusable: {1}.', fact.tools, fact.unusable)];
    case 'schemas':
      return [formatSchemaCount(fact), ...fact.broken.map(code)];
    default:
      return assertNever(fact);
  }
}

function formatSchemaCount({ schemas, total }: Extract<StepFact, { kind: 'schemas' }>): string {
  return schemas < total
    ? l10n.t('Schemas: {0} of {1} checked.', schemas, total)
    : l10n.t('Schemas: {0}.', total);
}

/** Returns the details of a certificate that was not accepted. */
function formatCertificate(
  { certificate }: Extract<StepFact, { kind: 'tlsTrouble' }>,
  code: FormatCode,
): readonly string[] {
  if (certificate === undefined) return [];
  const { subject, issuer, validFrom, validTo } = certificate;
  return [
    l10n.t('Certificate for {0}, issued by {1}.', code(subject), code(issuer)),
    l10n.t('Valid from {0} to {1}.', code(validFrom), code(validTo)),
  ];
}

function formatProgram(
  { file, foundBy, folder = '' }: Extract<StepFact, { kind: 'program' }>['program'],
  code: FormatCode,
): string {
  return {
    given: l10n.t('{0}, as configured.', code(file)),
    path: l10n.t('{0}, on PATH.', code(file)),
    loginShell: l10n.t('{0}, on the PATH of your login shell.', code(file)),
    folder: l10n.t('{0}. {1} is not on PATH, but is also searched.', code(file), code(folder)),
  }[foundBy];
}

function formatEra(fact: Extract<StepFact, { kind: 'era' }>): string {
  const { era, isSilent, status, isBroken } = fact;
  if (isBroken === true) {
    return l10n.t('The connection broke during “server/discover”, so Toolgate tries “initialize”.');
  }
  if (era === 'stateful' && status !== undefined) {
    return l10n.t(
      '“server/discover” returned HTTP status {0}, so Toolgate tries “initialize”.',
      status,
    );
  }
  if (isSilent)
    return l10n.t('It did not answer “server/discover”, so Toolgate tries “initialize”.');
  return era === 'stateless'
    ? l10n.t('Without a handshake, as in revision 2026-07-28.')
    : l10n.t('With a handshake, as before revision 2026-07-28.');
}

function list(names: readonly string[], code: FormatCode): string {
  return names.map(code).join(', ');
}
