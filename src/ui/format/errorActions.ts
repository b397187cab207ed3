import * as l10n from '@vscode/l10n';
import type { Command } from 'vscode';
import { assertNever, type McpError } from '../../core/errors';
import type { ServerConfig } from '../../host/configuration/serverConfig';
import { commands, internalCommands } from '../../ids';
import { manageTrustCommand, startCommand } from './startCommand';

/**
 * What a person can do about it at once. A caller that knows the server hands its row or id as
 * the argument where `arguments` is absent. What was typed for the server is asked for again where it was refused.
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
  // Where the era can be pinned.
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

/** Where the header of the configuration is not taken: to sign in, as without it. */
export function signInInsteadAction(
  { code }: McpError,
  { transport }: Partial<Pick<ServerConfig, 'transport'>>,
): Pick<Command, 'title' | 'command'> | undefined {
  if (code !== 'unauthorized' || transport === undefined || transport.kind === 'stdio')
    return undefined;
  const hasOwn = Object.keys(transport.headers).some((name) => /^authorization$/i.test(name));
  return hasOwn
    ? { title: l10n.t('Use Sign-In Instead'), command: internalCommands.signInInstead }
    : undefined;
}

/** The identity that a company gave ends within the hour, and somebody has to enter the next. */
function isRefusedIdentity(
  { code, facts }: McpError,
  transport: ServerConfig['transport'] | undefined,
) {
  const isByIdentity = transport?.kind !== 'stdio' && transport?.oauth?.enterprise !== undefined;
  return isByIdentity && code === 'signInFailed' && facts.signInStep === 'token';
}

/** It came over HTTP, and neither the question nor the handshake got an answer of MCP. */
function isOfBothEras({ facts }: McpError): boolean {
  return facts.probeStatus !== undefined && facts.httpStatus !== undefined;
}

/** Toolgate is not known there, and the next try would not change that. */
function isUnregistered(
  { code, facts }: McpError,
  transport: ServerConfig['transport'] | undefined,
) {
  const isConfigured = transport?.kind !== 'stdio' && transport?.oauth?.clientId !== undefined;
  return code === 'signInFailed' && facts.signInStep === 'client' && !isConfigured;
}

/** Who it is that asks was not accepted. */
function isRefusal({ code, facts }: McpError): boolean {
  return code === 'unauthorized' || (code === 'httpError' && facts.httpStatus === 403);
}
