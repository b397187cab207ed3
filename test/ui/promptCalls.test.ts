import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { commands, reportScheme } from '../../src/ids';
import type { Script } from '../servers/scripted';
import { openInChat } from '../../src/ui/prompts/promptChat';
import { lensTitles } from './lenses';
import { run, useWindow } from './realWindow';

/** Greets whom it is told, as two roles. Short, because the question before its start shows it. */
const greeting: Script = (server) => {
  server.capabilities = { prompts: {} };
  server.on('prompts/get', (message) => {
    const { who } = Object(message.params?.['arguments']);
    const said = (role: string, text: string) => ({ role, content: { type: 'text', text } });
    const messages = [said('user', `Greet ${who}`), said('assistant', 'Hello')];
    if (who) server.reply(message, { messages });
    else server.fail(message, -32602, 'nobody to greet');
  });
};

describe('A prompt of a call file', () => {
  const { extension, answers, dialogs } = useWindow({
    servers: (real) => ({ greeter: real.scriptedEntry(greeting) }),
  });
  const { executeCommand, getCommands } = vscode.commands;
  const switchChatOff = (isOff: boolean | undefined) =>
    vscode.workspace
      .getConfiguration('chat')
      .update('disableAIFeatures', isOff, vscode.ConfigurationTarget.Global);
  const file = path.join(extension.folder, 'greet.mcpcall');
  after(async () => {
    Object.assign(vscode.commands, { executeCommand, getCommands });
    await switchChatOff(undefined);
    await rm(file, { force: true });
  });

  it('is a past call in the editor, and its messages go to the chat unsent', async () => {
    const greet = { server: 'greeter', prompt: 'greet' };
    const calls = { ada: { ...greet, arguments: { who: 'Ada' } }, nobody: greet };
    await writeFile(file, JSON.stringify({ calls }, undefined, 2));
    const document = await vscode.workspace.openTextDocument(file);
    await vscode.window.showTextDocument(document);
    const asked = dialogs.seen.length;
    await run(commands.runFileCall, document.uri, 'nobody');
    await run(commands.runFileCall, document.uri, 'ada');
    assert.equal(vscode.window.activeTextEditor?.document.uri.scheme, reportScheme);
    const outcomes = (await lensTitles(document.uri)).filter((title) => /^[✓✗]/.test(title));
    assert.match(outcomes.join(), /^✓ .*✗ Error from the server$/);
    assert.equal(dialogs.seen.length, asked);

    const sent: unknown[] = [];
    const chat = 'workbench.action.chat.open';
    Object.assign(vscode.commands, {
      getCommands: async (isFiltered: boolean) => [chat, ...(await getCommands(isFiltered))],
      executeCommand: (command: string, ...rest: readonly unknown[]) =>
        command === chat
          ? Promise.resolve(void sent.push(...rest))
          : executeCommand(command, ...rest),
    });
    answers.pick = 'greet';
    await executeCommand(commands.openPromptInChat);
    assert.equal(answers.told.at(-1), 'VS Code has no chat in this window.');
    await switchChatOff(false);
    await executeCommand(commands.openPromptInChat);
    assert.deepEqual(answers.listed.slice(0, 2), ['greet', 'greet']);
    const query = 'user: Greet Ada\n\nassistant: Hello';
    assert.deepEqual(sent, [{ query, isPartialQuery: true }]);

    const hidden = `A${String.fromCodePoint(0xe_0041)}\u202E\u200B\n\tB`;
    await openInChat({ content: [{ type: 'text', role: 'user', text: hidden }], isError: false });
    const shown = { query: 'A\\u{E0041}\\u{202E}\\u{200B}\n\tB', isPartialQuery: true };
    assert.deepEqual(sent.at(-1), shown);
    const growing = { type: 'text', role: 'user', text: '\u202E'.repeat(500_000) } as const;
    await openInChat({ content: [growing], isError: false });
    assert.equal(sent.length, 2);
    assert.match(answers.told.at(-1) ?? '', /^The prompt is too large for the chat/);
  });
});
