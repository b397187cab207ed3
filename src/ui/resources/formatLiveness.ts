import * as l10n from '@vscode/l10n';
import type { Command } from 'vscode';
import { assertNever } from '../../core/errors';
import type { ResourceFreshness } from '../../host/resources/liveResources';
import { commands } from '../../ids';
import type { ResourceDocument } from '../results/resourceDocuments';
import { errorSentence, quoted } from '../format/sentences';
import { formatTime } from '../format/formatTime';
import { startCommand } from '../format/startCommand';

/** Says how old a document is, and how it is updated. */
export function livenessSentence(
  { readAt }: ResourceDocument,
  liveness: ResourceFreshness,
  serverLabel: string,
): string {
  return readAt === undefined
    ? waitingSentence(liveness, serverLabel)
    : readSentence(formatTime(readAt), liveness, serverLabel);
}

function waitingSentence(liveness: ResourceFreshness, serverLabel: string): string {
  const server = quoted(serverLabel);
  switch (liveness.kind) {
    case 'live':
    case 'still':
      return l10n.t('Reading the resource from server “{0}”.', server);
    case 'gone':
      return l10n.t(
        'Server “{0}” is not running. The resource is read again when the server runs.',
        server,
      );
    case 'failed':
      return l10n.t(
        'The resource could not be read again. {0}',
        errorSentence(serverLabel, liveness.error),
      );
    default:
      return assertNever(liveness);
  }
}

function readSentence(at: string, liveness: ResourceFreshness, serverLabel: string): string {
  const server = quoted(serverLabel);
  switch (liveness.kind) {
    case 'live':
      return l10n.t(
        'Read from server “{0}” at {1}. The server reports changes, and the resource is read again.',
        server,
        at,
      );
    case 'still':
      return l10n.t(
        'Read from server “{0}” at {1}. The server does not report changes.',
        server,
        at,
      );
    case 'gone':
      return l10n.t(
        'Server “{0}” is not running. This content is from {1} and may be out of date.',
        server,
        at,
      );
    case 'failed':
      return l10n.t(
        'The resource has changed since {0}, but could not be read again. {1}',
        at,
        errorSentence(serverLabel, liveness.error),
      );
    default:
      return assertNever(liveness);
  }
}

export interface StatusTexts {
  readonly text: string;
  /** The text without its icon. */
  readonly says: string;
  readonly command: Command;
}

export function formatStatus(
  { serverId, readAt }: ResourceDocument,
  { kind }: ResourceFreshness,
): StatusTexts {
  switch (kind) {
    case 'live':
      return readAt === undefined
        ? statusTexts('sync', reading())
        : statusTexts('broadcast', l10n.t('Live'));
    case 'still':
      return readAt === undefined
        ? statusTexts('sync', reading())
        : statusTexts('refresh', l10n.t('Read Again'));
    case 'failed':
      return statusTexts(
        'warning',
        readAt === undefined ? l10n.t('Not Read') : l10n.t('Out of Date'),
      );
    case 'gone':
      return statusTexts('debug-disconnect', l10n.t('Server Not Running'), startCommand(serverId));
    default:
      return assertNever(kind);
  }
}

function statusTexts(icon: string, says: string, command = readAgainCommand()): StatusTexts {
  return { text: `$(${icon}) ${says}`, says, command };
}

function reading(): string {
  return l10n.t('Reading…');
}

/** Returns the command for the active document, or for the given one. */
export function readAgainCommand(...document: unknown[]): Command {
  return { title: l10n.t('Read Again'), command: commands.readAgain, arguments: document };
}
