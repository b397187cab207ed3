import { type Command, l10n } from 'vscode';
import { assertNever, type McpError } from '../../core/errors';
import { commands } from '../../ids';

/**
 * What a person can do about it at once. A caller that knows the server hands its row or id as
 * the argument where `arguments` is absent.
 */
export function errorAction({ code }: McpError): Command | undefined {
  switch (code) {
    case 'programNotFound':
    case 'spawnFailed':
    case 'unsupportedTransport':
    case 'missingVariable':
    case 'invalidConfiguration':
    case 'unknownServer':
    case 'unreachable':
    case 'tlsError':
    case 'unauthorized':
    case 'redirectRefused':
      return { title: l10n.t('Open Configuration'), command: commands.openServerConfiguration };
    case 'exitedEarly':
    case 'handshakeTimeout':
    case 'handshakeFailed':
    case 'unsupportedRevision':
    case 'serverError':
    case 'invalidResult':
    case 'messageTooLarge':
    case 'answerTooLarge':
    case 'timeout':
    case 'httpError':
    case 'unexpectedContentType':
    case 'internal':
    case 'capabilityRequired':
    case 'inputNotPossible':
    case 'tooManyRounds':
      return { title: l10n.t('Show Log'), command: commands.showServerLog };
    case 'connectionClosed':
    case 'writeFailed':
    case 'connectionLost':
    case 'sessionLost':
      return { title: l10n.t('Restart Server'), command: commands.restartServer };
    case 'notRunning':
      return { title: l10n.t('Start Server'), command: commands.startServer };
    case 'untrustedWorkspace':
      return {
        title: l10n.t('Manage Workspace Trust'),
        command: 'workbench.trust.manage',
        arguments: [],
      };
    case 'unknownTool':
      return { title: l10n.t('Refresh Tools'), command: commands.refreshTools };
    case 'cancelled':
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
