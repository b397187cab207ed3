import assert from 'node:assert/strict';
import { machineSentence, remoteMachineName } from '../../src/ui/format/formatServerState';

describe('The location of servers', () => {
  for (const [remoteName, word, sentence] of [
    [undefined, undefined, 'Runs on this computer'],
    ['wsl', 'WSL', 'Runs in the remote window: WSL'],
    ['ssh-remote', 'SSH', 'Runs in the remote window: SSH'],
    ['dev-container', 'container', 'Runs in the remote window: container'],
    ['attached-container', 'container', 'Runs in the remote window: container'],
    ['codespaces', 'codespace', 'Runs in the remote window: codespace'],
    ['tunnel', 'tunnel', 'Runs in the remote window: tunnel'],
    ['somebodys-own', undefined, 'Runs on the machine that this window is connected to'],
    ['constructor', undefined, 'Runs on the machine that this window is connected to'],
  ] as const) {
    it(`is named for a window whose remote is ${remoteName ?? 'none'}`, () => {
      assert.deepEqual(
        [remoteMachineName(remoteName), machineSentence(remoteName)],
        [word, sentence],
      );
    });
  }
});
