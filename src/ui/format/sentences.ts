import * as l10n from '@vscode/l10n';
import {
  formatErrorData,
  type McpError,
  type McpErrorCode,
  type McpErrorFacts,
} from '../../core/errors';
import { relevantStderrLine } from '../../core/stdio/relevantStderrLine';
import { revisions } from '../../core/types';
import { visibleText, breakLinks } from '../../core/visibleText';
import { settings } from '../../ids';
import {
  agentPausedMessage,
  longCallSentences,
  timeoutSentence,
  unknownSentence,
  formatExit,
  framingSentence,
  startSentences,
} from './sentencesOfCalls';
import { httpSentences, sizeSentences } from './sentencesOfHttp';

/** Texts for one error: a title of two or three words for narrow places, and the whole sentence. */
interface ErrorTexts {
  readonly title: string;
  /** Names the server, the cause and the next step. Foreign text is quoted and shortened. */
  readonly sentence: string;
}

const maxQuotedChars = 300;

/** Returns foreign text as one short line of plain text that is safe in notifications, too. */
export function quoted(text: string | undefined): string {
  return breakLinks(visibleText(text ?? '', maxQuotedChars).trim());
}

export function errorSentence(serverLabel: string, error: McpError): string {
  return formatError(serverLabel, error).sentence;
}

export function formatError(serverLabel: string, error: McpError): ErrorTexts {
  const server = quoted(serverLabel);
  const message = messagesByCode[error.code](server, quotedFacts(error.facts));
  const sentences = [
    message.sentence,
    framingSentence(error.facts),
    unknownSentence(error.facts),
    outsideSentence(error),
    dataSentence(error),
    issuerSentence(error.facts),
    probeSentence(error.facts),
  ];
  return { ...message, sentence: sentences.filter((each) => each !== undefined).join(' ') };
}

/** Quotes all foreign text, so that the sentences need not do it. */
function quotedFacts(facts: McpErrorFacts): McpErrorFacts {
  const { detail, stdoutTail, printed, signal, searched } = facts;
  return {
    ...facts,
    ...(detail === undefined ? {} : { detail: quoted(detail) }),
    ...(stdoutTail === undefined ? {} : { stdoutTail: quoted(stdoutTail) }),
    ...(printed === undefined ? {} : { printed: quoted(printed) }),
    ...(signal === undefined ? {} : { signal: quoted(signal) }),
    ...(searched === undefined ? {} : { searched: searched.map(quoted) }),
  };
}

/** Their own sentence already contains the detail. */
const quotesDetail: ReadonlySet<McpErrorCode> = new Set([
  'programNotFound',
  'programNotExecutable',
  'missingVariable',
  'unknownServer',
  'unknownTool',
  'unusableTool',
  'toolChanged',
  'capabilityRequired',
]);

/** Returns the message of the server or the system as a sentence of its own. */
function outsideSentence({ code, facts }: McpError): string | undefined {
  const stderr = saidOnStderr(facts);
  if (stderr !== '') return l10n.t('stderr: “{0}”', stderr);
  const isQuoted = quotesDetail.has(code) || facts.offersNoSignIn === true;
  const detail = isQuoted ? '' : quoted(facts.detail);
  return detail === '' ? undefined : l10n.t('Details: “{0}”', detail);
}

/** Quotes the structured details of a server's error, which often name the wrong argument. */
function dataSentence(error: McpError): string | undefined {
  const data = quoted(formatErrorData(error));
  return data === '' ? undefined : l10n.t('Data: “{0}”', data);
}

/** Says where a sign-in failed, because a server may have several places. */
function issuerSentence({ issuer }: McpErrorFacts): string | undefined {
  return issuer === undefined ? undefined : l10n.t('Authorization server: “{0}”', quoted(issuer));
}

/** Returns the reason that a program printed before it ended, or `''`. */
export function saidOnStderr({ stderrTail }: McpErrorFacts): string {
  return stderrTail === undefined ? '' : quoted(relevantStderrLine(stderrTail));
}

/** Says that the probe before the handshake failed as well, and how to skip one of them. */
function probeSentence(facts: McpErrorFacts): string | undefined {
  const { probeStatus, probeDetail, printed } = facts;
  // A server that prints something else needs no other era.
  if (probeDetail === undefined || printed !== undefined) return undefined;
  const said = quoted(probeDetail);
  const answer =
    probeStatus === undefined
      ? l10n.t('“{0}”', said)
      : l10n.t('HTTP status {0}, “{1}”', probeStatus, said);
  return l10n.t(
    'Toolgate first tried “server/discover” ({0}), then “initialize”. If you know which one the server supports, add {1} or {2} to its entry.',
    answer,
    '"toolgate": { "era": "stateful" }',
    '"stateless"',
  );
}

/**
 * The type is exhaustive, so a new code does not compile without its texts. Foreign texts are
 * quoted already.
 */
const messagesByCode: Record<McpErrorCode, (server: string, facts: McpErrorFacts) => ErrorTexts> = {
  ...startSentences,
  handshakeFailed: (server) => ({
    title: l10n.t('Start refused'),
    sentence: l10n.t(
      'Server “{0}” did not start: its first response was an error or not MCP. See its log.',
      server,
    ),
  }),
  unsupportedRevision: (server) => ({
    title: l10n.t('Unknown protocol revision'),
    sentence: l10n.t(
      'Server “{0}” did not start: its protocol revision ({1}) is unknown. Update the server or Toolgate.',
      server,
      revisions.join(', '),
    ),
  }),
  missingVariable: (server, facts) => ({
    title: l10n.t('Variable without value'),
    sentence: /^\$\{(?:env:)?\w+\}$/.test(facts.detail ?? '')
      ? l10n.t(
          'Server “{0}” cannot start because environment variable “{1}” is not set. Set it and restart VS Code, or remove it.',
          server,
          facts.detail ?? '',
        )
      : l10n.t(
          'Server “{0}” cannot start because variable “{1}” has no value. Set or remove it.',
          server,
          facts.detail ?? '',
        ),
  }),
  invalidConfiguration: (server) => ({
    title: l10n.t('Configuration not valid'),
    sentence: l10n.t(
      'Server “{0}” cannot start because its configuration is not valid. Correct it.',
      server,
    ),
  }),
  connectionClosed: (server, facts) => ({
    title: l10n.t('Connection ended'),
    sentence:
      facts.exitCode === undefined && facts.signal === undefined
        ? l10n.t('The connection to server “{0}” ended. See its log.', server)
        : l10n.t('Server “{0}” exited with {1}. See its log.', server, formatExit(facts)),
  }),
  ...sizeSentences,
  writeFailed: (server) => ({
    title: l10n.t('Cannot send'),
    sentence: l10n.t('Server “{0}” no longer accepts messages. See its log.', server),
  }),
  ...httpSentences,
  timeout: (server, facts) => ({
    title: l10n.t('No answer in time'),
    sentence: timeoutSentence(server, facts),
  }),
  cancelled: (server) => ({
    title: l10n.t('Cancelled'),
    sentence: l10n.t('The request to server “{0}” was cancelled.', server),
  }),
  serverError: (server, facts) => ({
    title: l10n.t('Error from the server'),
    sentence: l10n.t(
      'Server “{0}” answered with error {1}. Check the arguments, or see its log.',
      server,
      facts.rpcCode ?? '?',
    ),
  }),
  invalidResult: (server) => ({
    title: l10n.t('Invalid response'),
    sentence: l10n.t(
      'Server “{0}” sent a response that is not valid MCP. See its log, and tell its author.',
      server,
    ),
  }),
  unsupportedFeature: (server) => ({
    title: l10n.t('Not supported'),
    sentence: l10n.t('Server “{0}” does not support this. Check its documentation.', server),
  }),
  capabilityRequired: (server, facts) => ({
    title: l10n.t('Capability required'),
    sentence: l10n.t(
      'Server “{0}” requires a client that supports “{1}”. Use another tool or client.',
      server,
      facts.detail ?? '',
    ),
  }),
  ...longCallSentences,
  browserStepRequired: (server) => ({
    title: l10n.t('Step in the browser required'),
    sentence: l10n.t(
      'Server “{0}” requires a step in the browser. Complete it, then run the call again.',
      server,
    ),
  }),
  notRunning: (server) => ({
    title: l10n.t('Not running'),
    sentence: l10n.t('Server “{0}” is not running. Start it first.', server),
  }),
  serverDisabled: (server) => ({
    title: l10n.t('Disabled'),
    sentence: l10n.t('Server “{0}” is disabled in this workspace. Enable it first.', server),
  }),
  toolDisabled: (server, { detail }) => ({
    title: l10n.t('Tool disabled'),
    sentence: l10n.t(
      'Tool “{0}” of server “{1}” is disabled in this workspace. Enable it first.',
      detail ?? '',
      server,
    ),
  }),
  untrustedWorkspace: (server) => ({
    title: l10n.t('Workspace not trusted'),
    sentence: l10n.t(
      'Server “{0}” was not started because this workspace is not trusted. Trust it first.',
      server,
    ),
  }),
  notApproved: (server) => ({
    title: l10n.t('Not allowed to start'),
    sentence: l10n.t(
      'Server “{0}” was not started because you did not agree. Start it again to be asked again.',
      server,
    ),
  }),
  unknownServer: (server) => ({
    title: l10n.t('No such server'),
    sentence: l10n.t('Server “{0}” is not configured. Add it, or correct its name.', server),
  }),
  unknownTool: (server, facts) => ({
    title: l10n.t('No such tool'),
    sentence: l10n.t(
      'Server “{0}” has no tool “{1}”. Refresh its tools.',
      server,
      facts.detail ?? '',
    ),
  }),
  unusableTool: (server, facts) => ({
    title: l10n.t('Invalid tool definition'),
    sentence: l10n.t(
      'Not called: the definition of “{1}” from server “{0}” is not valid. Tell the server’s author.',
      server,
      facts.detail ?? '',
    ),
  }),
  toolChanged: (server, facts) => ({
    title: l10n.t('Tool changed'),
    sentence: l10n.t(
      'Not sent: server “{0}” changed the tool “{1}” while you were asked. Call it again.',
      server,
      facts.detail ?? '',
    ),
  }),
  invalidArguments: (server) => ({
    title: l10n.t('Invalid arguments'),
    sentence: l10n.t(
      'Not sent to server “{0}”: the arguments do not match the tool’s schema. Correct them.',
      server,
    ),
  }),
  journalUnavailable: (server) => ({
    title: l10n.t('Audit journal not writable'),
    sentence: l10n.t(
      'Not sent to server “{0}”: the audit journal cannot be written, and "{1}" requires it.',
      server,
      settingName(settings.requireJournal),
    ),
  }),
  agentPaused: agentPausedMessage,
  notExposed: (server) => ({
    title: l10n.t('Hidden from agents'),
    sentence: l10n.t(
      'Nothing was sent: server “{0}” was hidden from agents before the call was due.',
      server,
    ),
  }),
  internal: (server) => ({
    title: l10n.t('Error in Toolgate'),
    sentence: l10n.t(
      'Toolgate failed while working with server “{0}”. Restart the server; report it if it happens again.',
      server,
    ),
  }),
};

function settingName(name: string): string {
  return `${settings.section}.${name}`;
}
