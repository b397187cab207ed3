import * as l10n from '@vscode/l10n';
import type { History } from '../../host/history/history';
import type { ToolResult } from '../../core/types';
import type { PastCall, RestorableCall } from '../../host/history/pastCall';
import { commands } from '../../ids';
import { withDelayedProgress } from '../editor/delayedProgress';
import { notify } from '../editor/messages';
import { markOwnArgument } from '../editor/ownArguments';
import { quoted } from '../format/sentences';

interface PastResultsOptions {
  readonly history: Pick<History, 'find' | 'restorable' | 'setPath'>;
  readonly results: {
    open(callId: string): Promise<boolean>;
    restoreCall(call: RestorableCall): Promise<void>;
  };
}

/**
 * Opens the result of a call of this or an earlier session; resolves with false when it was not
 * kept.
 */
export async function openPastResult(
  { history, results }: PastResultsOptions,
  callId: string,
): Promise<boolean> {
  if (await results.open(callId)) return true;
  const call = history.find(callId);
  if (call === undefined) return false;
  try {
    const title = l10n.t('Reading the result of “{0}”', quoted(call.toolTitle));
    const restored = await withDelayedProgress(title, () => history.restorable(call), false);
    if (restored === undefined) return false;
    await results.restoreCall(restored);
    await history.setPath(callId, restored.path);
    return await results.open(callId);
  } catch (error) {
    notifyUnreadable(call, error);
    // The failure was already reported.
    return true;
  }
}

/** Resolves with the kept answer of a call, or with `undefined` after a message. */
export async function answerOrNotify(
  history: Pick<History, 'answerOf'>,
  call: PastCall,
): Promise<ToolResult | undefined> {
  try {
    return await history.answerOf(call);
  } catch (error) {
    notifyUnreadable(call, error);
    return undefined;
  }
}

function notifyUnreadable({ callId, toolTitle }: PastCall, error: unknown): void {
  const detail = error instanceof Error ? error.message : String(error);
  const sentence = l10n.t(
    'The result of “{0}” cannot be read from disk: “{1}”',
    quoted(toolTitle),
    quoted(detail),
  );
  const again = { command: commands.runAgain, arguments: [markOwnArgument({ callId })] };
  notify('error', sentence, { ...again, title: l10n.t('Run Again') });
}
