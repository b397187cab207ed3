import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { showStatus } from '../editor/messages';
import { fillVariables } from '../../core/callFiles/callFileVariables';
import type { Server, ToolEntry } from '../../host/connections/snapshot';
import {
  toCallFileText,
  toCurlText,
  toJsonRpcText,
  toTypeScriptText,
  type CopiedCall,
} from '../../host/callFiles/callCopies';

/**
 * Copies a call in the format that the user chooses. Variables stay unresolved, so that no secret
 * reaches the clipboard.
 */
export async function copyCallAs(call: CopiedCall, server: Server | undefined): Promise<void> {
  const picked = await vscode.window.showQuickPick(formsOf(call, server), {
    title: l10n.t('Copy Call As'),
    placeHolder: l10n.t('Variables are copied unresolved'),
  });
  if (picked === undefined) return;
  await vscode.env.clipboard.writeText(picked.text);
  showStatus(l10n.t('Copied as {0}.', picked.label));
}

interface Form extends vscode.QuickPickItem {
  readonly text: string;
}

function formsOf(written: CopiedCall, server: Server | undefined): Form[] {
  const forms: Form[] = [{ label: l10n.t('Call File'), text: toCallFileText(written) }];
  const { arguments: given, ...rest } = written;
  // Only the call file format can escape text that looks like a variable.
  const call =
    given === undefined ? rest : { ...rest, arguments: fillVariables(given, ({ text }) => text) };
  const isCopied = ({ tool: { name } }: ToolEntry) =>
    written.isPrompt !== true && name === written.tool;
  const inputSchema = server?.tools.find(isCopied)?.tool.inputSchema;
  const revision = server?.state.kind === 'running' ? server.state.revision : undefined;
  const copied =
    server === undefined
      ? undefined
      : {
          config: server.config,
          ...(revision === undefined ? {} : { revision }),
          ...(inputSchema === undefined ? {} : { inputSchema }),
        };
  forms.push({ label: l10n.t('JSON-RPC Request'), text: toJsonRpcText(call, copied) });
  if (copied === undefined) return forms;
  const curl = toCurlText(call, copied);
  if (curl !== undefined) {
    forms.push({
      label: l10n.t('cURL'),
      description: l10n.t('header values become shell variables'),
      text: curl,
    });
  }
  forms.push({
    label: l10n.t('TypeScript'),
    description: l10n.t('with the official SDK, 2.x'),
    text: toTypeScriptText(call, copied),
  });
  return forms;
}
