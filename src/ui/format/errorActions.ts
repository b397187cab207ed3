import * as l10n from '@vscode/l10n';
import type { Command } from 'vscode';
import { assertNever, type McpError } from '../../core/errors';
import { hasAuthorizationHeader, type ServerConfig } from '../../host/configuration/serverConfig';
import { commands, internalCommands } from '../../ids';
import { manageTrustCommand, startCommand } from './startCommand';

/**
 * Returns the next step that the user can take. Without `arguments`, the caller adds the row or id
 * of the server. If the server refused typed values, the step asks for them again.
 */
export function errorAction(
  error: McpError,
  { inputs = [], transport }: Partial<Pick<ServerConfig, 'inputs' | 'transport'>> = {},
): Command | undefined {
  const { code } = error;
  const isOfInputs = isRefusal(error) || isRefusedIdentity(error, transport);
  if (isOfInputs && inputs.some(({ kind }) => kind !== 'command')) {
    return { title: l10n.t('Enter Secret Again…'), command: internalCommands.askAgain };
  }
  if (error.facts.offersNoSignIn === true && error.facts.wasAnonymous === true) {
    return { title: l10n.t('Add Header…'), command: internalCommands.addHeader };
  }
  if (isUnregistered(error, transport)) {
    return { title: l10n.t('Use Another Client ID…'), command: commands.useClientId };
  }
  // Offers to set the protocol era.
  if (isOfBothEras(error)) {
    return { title: l10n.t('Open Configuration'), command: commands.openServerConfiguration };
  }
  switch (code) {
    case 'programNotFound':
    case 'programNotExecutable':
    case 'spawnFailed':
    case 'missingVariable':
    case 'invalidConfiguration':
    case 'unknownServer':
    case 'unreachable':
    case 'tlsError':
    case 'unauthorized':
    case 'redirectRefused':
      return { title: l10n.t('Open Configuration'), command: commands.openServerConfiguration };
    case 'exitedEarly':
    case 'unsupportedRevision':
    case 'serverError':
    case 'invalidResult':
    case 'messageTooLarge':
    case 'serverFlood':
    case 'answerTooLarge':
    case 'timeout':
    case 'httpError':
    case 'unexpectedContentType':
    case 'internal':
    case 'capabilityRequired':
    case 'inputNotPossible':
    case 'tooManyRounds':
    case 'taskCancelled':
    case 'taskLost':
      return { title: l10n.t('Show Log'), command: commands.showServerLog };
    case 'handshakeTimeout':
    case 'handshakeFailed':
    case 'scopeRefused':
      return { title: l10n.t('Diagnose Server…'), command: commands.diagnoseServer };
    case 'connectionClosed':
    case 'writeFailed':
    case 'connectionLost':
    case 'sessionLost':
      return { title: l10n.t('Restart Server'), command: commands.restartServer };
    case 'notRunning':
    case 'notApproved':
    case 'taskLeft':
      return startCommand();
    case 'signInNeeded':
    case 'signInFailed':
      return { title: l10n.t('Sign In'), command: commands.signIn };
    case 'serverDisabled':
      return { title: l10n.t('Enable Server'), command: commands.enableServer };
    case 'toolDisabled':
      return { title: l10n.t('Enable Tool'), command: commands.enableTool };
    case 'untrustedWorkspace':
      return manageTrustCommand();
    case 'journalUnavailable':
      return { title: l10n.t('Show Audit Journal'), command: commands.showJournal, arguments: [] };
    case 'notExposed':
      return {
        title: l10n.t('Expose to Agents…'),
        command: commands.exposeToAgents,
        arguments: [],
      };
    case 'unknownTool':
      return { title: l10n.t('Refresh Tools'), command: commands.refreshTools };
    case 'cancelled':
    case 'agentPaused':
    case 'unsupportedFeature':
    case 'browserStepRequired':
    case 'unusableTool':
    case 'invalidArguments':
    case 'toolChanged':
      return undefined;
    default:
      return assertNever(code);
  }
}

/** Offers to sign in if the server rejects the configured header. */
export function signInInsteadAction(
  { code }: McpError,
  { transport }: Partial<Pick<ServerConfig, 'transport'>>,
): Pick<Command, 'title' | 'command'> | undefined {
  if (code !== 'unauthorized' || transport === undefined || transport.kind === 'stdio')
    return undefined;
  const hasOwn = hasAuthorizationHeader(transport);
  return hasOwn
    ? { title: l10n.t('Use Sign-In Instead'), command: internalCommands.signInInstead }
    : undefined;
}

/**
 * An identity token of a company expires within an hour, and then the user has to enter the next
 * one.
 */
function isRefusedIdentity(
  { code, facts }: McpError,
  transport: ServerConfig['transport'] | undefined,
) {
  const isByIdentity = transport?.kind !== 'stdio' && transport?.oauth?.enterprise !== undefined;
  return isByIdentity && code === 'signInFailed' && facts.signInStep === 'token';
}

/** True if over HTTP neither the probe nor the handshake got an MCP answer. */
function isOfBothEras({ facts }: McpError): boolean {
  return facts.probeStatus !== undefined && facts.httpStatus !== undefined;
}

/** The server does not know our client, so a retry would not help. */
function isUnregistered(
  { code, facts }: McpError,
  transport: ServerConfig['transport'] | undefined,
) {
  const isConfigured = transport?.kind !== 'stdio' && transport?.oauth?.clientId !== undefined;
  return code === 'signInFailed' && facts.signInStep === 'client' && !isConfigured;
}

/** True if the server rejected the credentials. */
function isRefusal({ code, facts }: McpError): boolean {
  return code === 'unauthorized' || (code === 'httpError' && facts.httpStatus === 403);
}
