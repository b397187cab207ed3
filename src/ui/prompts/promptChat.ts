import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { textOf } from '../../core/content/textKind';
import { assertNever } from '../../core/errors';
import type { ContentBlock, ToolResult } from '../../core/types';
import { visibleText } from '../../core/visibleText';
import { notify } from '../editor/messages';

/** VS Code's own command; absent if chat is not part of the build. */
const chatCommand = 'workbench.action.chat.open';
/** No model reads more. */
const maxChars = 1_000_000;

/** Returns true if this window has a chat view. */
export async function hasChat(): Promise<boolean> {
  // The command stays registered while the user has switched chat off.
  if (vscode.workspace.getConfiguration('chat').get('disableAIFeatures') === true) return false;
  return (await vscode.commands.getCommands(true)).includes(chatCommand);
}

/** Writes the messages of a prompt into the input of the chat view, without sending them. */
export async function openInChat({ content }: ToolResult): Promise<void> {
  if (!(await hasChat())) {
    notify('information', l10n.t('VS Code has no chat in this window.'));
    return;
  }
  const query = visibleChatText(content);
  if (query.length > maxChars) {
    notify('warning', l10n.t('The prompt is too large for the chat. Copy or save it instead.'));
    return;
  }
  await vscode.commands.executeCommand(chatCommand, { query, isPartialQuery: true });
}

/** Shows hidden characters as escapes, so that the user sees all that the model reads. */
function visibleChatText(content: readonly ContentBlock[]): string {
  const text = chatText(content);
  // A text that is cut here is still too long for the chat.
  return text.length > maxChars ? text : visibleText(text, maxChars * 2, { newlines: 'keep' });
}

/** Names the roles only if there are several. */
function chatText(content: readonly ContentBlock[]): string {
  const hasRoles = new Set(content.map(({ role }) => role)).size > 1;
  return content
    .map((block) => (hasRoles ? `${block.role ?? '?'}: ${blockText(block)}` : blockText(block)))
    .join('\n\n');
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return textOf(block.text);
    case 'resource':
      return block.resource.text === undefined ? block.resource.uri : textOf(block.resource.text);
    case 'resource_link':
      return block.uri;
    case 'image':
    case 'audio':
    case 'unknown':
      return `(${block.type})`;
    default:
      return assertNever(block);
  }
}
