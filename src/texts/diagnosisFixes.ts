import * as l10n from '@vscode/l10n';
import type { McpError } from '../core/errors';
import type { Step, StepFact } from '../host/diagnosis/steps';
import type { FormatCode } from './diagnosisFacts';

type TlsFact = Extract<StepFact, { kind: 'tlsTrouble' }>;
type ProxyFact = Extract<StepFact, { kind: 'proxy' }>;

/**
 * Returns how to fix a failed step. `code` is as for `formatStepFact`; `formatError` formats an
 * error without a more specific fact.
 */
export function formatStepFix(
  { name, error, facts }: Step,
  code: FormatCode,
  formatError: (error: McpError) => string,
): string {
  if (error?.code === 'cancelled') return l10n.t('Cancelled.');
  const fix = facts.map((fact) => fixOf(fact, code)).find((text) => text !== undefined);
  if (fix !== undefined) {
    const { detail } = error?.facts ?? {};
    return detail === undefined ? fix : `${fix} ${l10n.t('Details: {0}', code(detail))}`;
  }
  if (error !== undefined) return formatError(error);
  if (name === 'stdout') {
    return l10n.t('Fix: make the program log to stderr; stdout is reserved for messages.');
  }
  return name === 'schemas'
    ? l10n.t(
        'Fix: correct these schemas in the server. Until then, such tools cannot be validated.',
      )
    : l10n.t('Tell the server’s author.');
}

/** Returns a fix if a fact is more specific than the error. */
function fixOf(fact: StepFact, code: FormatCode): string | undefined {
  if (fact.kind === 'tlsTrouble') return tlsFix(fact, code);
  return fact.kind === 'proxy' ? proxyFix(fact) : undefined;
}

function tlsFix({ trouble, host, certificate }: TlsFact, code: FormatCode): string {
  return {
    selfSigned: l10n.t(
      'Fix: its certificate is self-signed. If you trust the server, trust it on this machine.',
    ),
    unknownIssuer: l10n.t(
      'Fix: this machine does not trust the issuer of its certificate. Trust the issuer, or make the server send the whole chain.',
    ),
    expired: l10n.t(
      'Fix: its certificate has expired. Renew it, or check the clock of this machine.',
    ),
    notYetValid: l10n.t('Fix: its certificate is not valid yet. Check the clock of this machine.'),
    wrongHost: l10n.t(
      'Fix: its certificate is for {0}, not {1}. Correct "url", or the server’s certificate.',
      code(certificate?.names ?? '?'),
      code(host),
    ),
    notTls: l10n.t(
      'Fix: this port does not use TLS. Use "http://" in "url", or the port for https.',
    ),
    other: l10n.t(
      'Fix: there is no secure connection. Check "url" and the TLS versions of the server.',
    ),
  }[trouble];
}

function proxyFix({ status }: ProxyFact): string {
  if (status === undefined) {
    return l10n.t(
      'Fix: the proxy cannot be reached. Check "http.proxy", HTTPS_PROXY and HTTP_PROXY.',
    );
  }
  return status === 407
    ? l10n.t(
        'Fix: the proxy requires a login. Add it to "http.proxy", or set "http.proxyAuthorization".',
      )
    : l10n.t(
        'Fix: the proxy refuses this server. Ask its owner, or add the host to "http.noProxy".',
      );
}
