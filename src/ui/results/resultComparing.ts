import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { isSpooled } from '../../host/results/resultSpool';
import { commands } from '../../ids';
import { notify } from '../editor/messages';
import { compareInAllowedEditor, viewerOfPart } from '../editor/allowedEditors';
import { resultTitle, type ResultTarget, type ResultTargets } from './resultTargets';
import { formatTime } from '../format/formatTime';

/**
 * VS Code shows larger texts without colors, lenses and additions of extensions, and does not
 * compare them. In a browser it asks before it opens any larger file.
 */
export const maxSyncedBytes = 50 * 1024 * 1024;

/**
 * Asks which result to compare `left` with, and shows both side by side, the older one first. A
 * past call is selected in a list of calls, and is compared with the whole result.
 */
export async function compareResults(targets: ResultTargets, left: ResultTarget): Promise<void> {
  const placeHolder = l10n.t('Compare “{0}” with…', left.file.name);
  const { callId } = left.kept;
  const pastCall = {
    label: l10n.t('A past call…'),
    iconPath: new vscode.ThemeIcon('history'),
    description: l10n.t('both complete results, as JSON'),
  };
  const right = await targets.pickOther(
    placeHolder,
    left,
    callId === undefined ? undefined : pastCall,
  );
  if (right === undefined) return;
  if ('file' in right) await showComparison(targets, left, right);
  else await vscode.commands.executeCommand(commands.compareResults, { callId });
}

async function showComparison(
  targets: ResultTargets,
  one: ResultTarget,
  other: ResultTarget,
): Promise<void> {
  const [left, right] = targets.olderFirst(one, other);
  const beginnings = [left, right].map(beginningUri);
  // The editor does not compare larger texts.
  const isTooLarge = [left, right].some(({ file }) => file.size > maxSyncedBytes);
  const [first = left.uri, second = right.uri] = isTooLarge ? beginnings : [];
  const title = l10n.t('{0} ↔ {1}', labelOf(left), labelOf(right));
  const viewers = [left, right].map(({ part }) => viewerOfPart(part));
  await compareInAllowedEditor([first, second], title, viewers);
  if (!isTooLarge || left.part?.excerpt === undefined) return;
  notify(
    'information',
    l10n.t('VS Code cannot compare texts above 50 MB, so only their beginnings are compared.'),
  );
}

function beginningUri({ part, uri }: ResultTarget): vscode.Uri {
  if (part === undefined || !isSpooled(part) || part.beginning === undefined) return uri;
  return vscode.Uri.joinPath(uri, '..', part.beginning.name);
}

function labelOf({ kept, file }: ResultTarget): string {
  return l10n.t('{0} ({1}, {2})', file.name, resultTitle(kept), formatTime(kept.entry.createdAt));
}
