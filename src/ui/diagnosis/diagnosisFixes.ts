import { l10n } from 'vscode';
import { assertNever, type McpError } from '../../core/errors';
import type { Step, StepFact } from '../../host/diagnosis/steps';
import { errorSentence } from '../format/sentences';
import { codeText } from './codeText';

type TlsFact = Extract<StepFact, { kind: 'tlsTrouble' }>;
type ProxyFact = Extract<StepFact, { kind: 'proxy' }>;

/** What to do about a step that failed, as Markdown source. */
export function formatFix(label: string, { name, error, facts }: Step): string {
  if (error?.code === 'cancelled') return l10n.t('Cancelled.');
  const fix = facts.map(fixOf).find((words) => words !== undefined);
  if (fix !== undefined) {
    const { detail } = error?.facts ?? {};
    return detail === undefined ? fix : `${fix} ${l10n.t('Details: {0}', codeText(detail))}`;
  }
  if (error !== undefined) return formatFailure(label, error);
  if (name === 'stdout') {
    return l10n.t('Fix: let the program write its own lines to stderr; stdout is for messages.');
  }
  return name === 'schemas'
    ? l10n.t('Fix: correct these schemas in the server; such tools cannot be checked.')
    : l10n.t('Tell the author of the server.');
}

/** As code: it quotes what a server said, which must not draw anything where this is pasted. */
function formatFailure(label: string, error: McpError): string {
  // Its sentence would lead here.
  return error.code === 'handshakeTimeout' && error.facts.stdoutTail === undefined
    ? l10n.t(
        'It did not answer in time. A program that waits for input, or that is no MCP server, does this.',
      )
    : codeText(errorSentence(label, error));
}

/** Where a fact says more than the error does. */
function fixOf(fact: StepFact): string | undefined {
  if (fact.kind === 'tlsTrouble') return tlsFix(fact);
  return fact.kind === 'proxy' ? proxyFix(fact) : undefined;
}

function tlsFix({ trouble, host, certificate }: TlsFact): string {
  switch (trouble) {
    case 'selfSigned':
      return l10n.t(
        'Fix: its certificate is signed by itself. If you know the server, add the certificate to those that this machine trusts.',
      );
    case 'unknownIssuer':
      return l10n.t(
        'Fix: nobody whom this machine trusts has signed its certificate. Add that of its issuer to those that this machine trusts, or let the server send the certificates between.',
      );
    case 'expired':
      return l10n.t(
        'Fix: renew the certificate of the server. Is the clock of this machine right?',
      );
    case 'notYetValid':
      return l10n.t('Fix: its certificate is not valid yet. Is the clock of this machine right?');
    case 'wrongHost':
      return l10n.t(
        'Fix: its certificate is for {0}, not for {1}. Write the right name in "url", or give the server a certificate for this one.',
        codeText(certificate?.names ?? '?'),
        codeText(host),
      );
    case 'notTls':
      return l10n.t(
        'Fix: no TLS is spoken at this port. Write "http://" in "url", or the port where https is spoken.',
      );
    case 'other':
      return l10n.t(
        'Fix: no secure connection came about. Check "url", and which versions of TLS the server speaks.',
      );
    default:
      return assertNever(trouble);
  }
}

function proxyFix({ status }: ProxyFact): string {
  if (status === undefined) {
    return l10n.t(
      'Fix: the proxy was not reached. Check the setting "http.proxy" and the variables HTTPS_PROXY and HTTP_PROXY.',
    );
  }
  return status === 407
    ? l10n.t(
        'Fix: the proxy wants to know who asks. Write name and password into the setting "http.proxy", or set "http.proxyAuthorization".',
      )
    : l10n.t(
        'Fix: the proxy does not lead to this server. Ask who runs it, or add the host to the setting "http.noProxy".',
      );
}
