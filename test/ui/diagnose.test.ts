import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { commands, diagnosisScheme, settings } from '../../src/ids';
import { diagnosisPath } from '../../src/ui/diagnosis/diagnosisPath';
import { useWindow } from './realWindow';

/** In the real extension, with real processes. */
describe('Diagnose Server', () => {
  const { extension, answers, dialogs } = useWindow();
  afterEach(async () => {
    await setTimeLimit(undefined);
    await extension.clear();
  });

  async function setTimeLimit(value: number | undefined): Promise<void> {
    const configuration = vscode.workspace.getConfiguration(settings.section);
    const { Global } = vscode.ConfigurationTarget;
    await configuration.update(settings.startTimeoutMs, value, Global);
  }
  const diagnose = (id: string): Thenable<unknown> =>
    vscode.commands.executeCommand(commands.diagnoseServer, id);
  const hanging = {
    command: process.execPath,
    args: ['-e', 'setInterval(() => {}, 1e6)'],
    env: { ELECTRON_RUN_AS_NODE: '1' },
  };

  /** The text of its document, as soon as `isSo`. */
  async function textOf(id: string, isSo: (text: string) => boolean): Promise<string> {
    const uri = vscode.Uri.from({ scheme: diagnosisScheme, path: diagnosisPath(id) });
    const document = await vscode.workspace.openTextDocument(uri);
    return new Promise((resolve) => {
      const look = (): void => {
        if (!isSo(document.getText())) return;
        subscription.dispose();
        resolve(document.getText());
      };
      const subscription = vscode.workspace.onDidChangeTextDocument(look);
      look();
    });
  }

  it('cancels the first run when it is started a second time, and shows the second', async () => {
    await extension.configure({ hanging });
    const first = diagnose('hanging');
    await textOf('hanging', (text) => text.includes('Now: Protocol era'));
    await setTimeLimit(4_000);
    const second = diagnose('hanging');
    await first;
    // The first is over, and has written nothing of its end.
    const between = await textOf('hanging', () => true);
    assert.doesNotMatch(between, /Cancelled/);
    await second;
    const text = await textOf('hanging', (now) => now.includes('First failed step'));
    assert.match(text, /First failed step: Handshake\./);
    assert.doesNotMatch(text, /Cancelled/);
  });

  it('does not start a server that is disabled, and offers to enable it', async () => {
    await extension.configure({ off: hanging });
    answers.pick = 'off';
    await vscode.commands.executeCommand(commands.disableServer);
    answers.told.length = 0;
    dialogs.seen.length = 0;
    await diagnose('off');
    assert.match(answers.told.join(), /Server “off” is disabled/);
    assert.deepEqual(dialogs.seen, []);
    await vscode.commands.executeCommand(commands.enableServer);
    answers.pick = undefined;
  });
});
