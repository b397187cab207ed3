import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { iconLines } from '../../src/ui/tree/rowKind';
import { settings } from '../../src/ids';

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const src = `data:image/png;base64,${png}`;

describe('The icon of a server in a tooltip', () => {
  const configuration = () => vscode.workspace.getConfiguration(settings.section);
  const set = (value: boolean | undefined) =>
    configuration().update(settings.showIcons, value, vscode.ConfigurationTarget.Global);
  afterEach(() => set(undefined));

  it('is the image that the server sent inline, with a note that it says nothing about risk', () => {
    assert.deepEqual(iconLines([{ src: 'https://a.b/c.png' }, { src }]), [
      `Icon provided by the server, unrelated to the risk: ![](${src}|width=24,height=24)`,
    ]);
  });

  it('is missing if the server sent none, or the setting disables it', async () => {
    assert.deepEqual(iconLines([{ src: 'https://a.b/c.png' }]), []);
    assert.deepEqual(iconLines(undefined), []);
    await set(false);
    assert.deepEqual(iconLines([{ src }]), []);
  });
});
