import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { AgentDrafts } from '../../host/agents/agentDrafts';
import { commands } from '../../ids';
import { callIdOf } from '../activity/callCommands';
import type { CallList } from '../activity/callList';
import { endedPick, pickCall } from '../activity/callPicker';
import type { CallToolCommand } from '../calls/callToolCommand';
import { notify } from '../editor/messages';
import { isUserChoice } from '../editor/ownArguments';

interface AgentDraftCommandOptions {
  readonly drafts: Pick<AgentDrafts, 'find'>;
  readonly list: Pick<CallList, 'ended'>;
  readonly calls: Pick<CallToolCommand, 'change'>;
}

/**
 * Run Agent's Call…: runs a call that an agent proposed while the user was away. The arguments are
 * shown first, because the permissions for the user's own calls do not apply to it.
 */
export function registerAgentDraftCommand(options: AgentDraftCommandOptions): vscode.Disposable {
  return vscode.commands.registerCommand(commands.runDraft, async (argument: unknown) => {
    const { drafts, list, calls } = options;
    const left = list.ended.filter(({ isDraft }) => isDraft);
    const callId =
      callIdOf(argument) ??
      (await pickCall(
        left.map(endedPick),
        l10n.t('Run an agent call'),
        l10n.t('No agent call is left unanswered.'),
      ));
    if (callId === undefined) return;
    const draft = drafts.find(callId);
    if (draft === undefined) {
      notify('information', l10n.t('The arguments of this call are no longer available.'));
      return;
    }
    const origin = isUserChoice(argument) ? 'history' : 'command';
    const target = {
      serverId: draft.server,
      toolName: draft.tool,
      origin,
      isForeign: true,
    } as const;
    await calls.change(target, draft.arguments ?? {}, { inFields: true });
  });
}
