import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { settings } from '../../src/ids';
import { settingDeclarations } from '../../src/ui/settings/settingDeclarations';
import { isForeignSetting, SettingsReader } from '../../src/ui/settings/settings';
import { eventually } from '../waiting';

const configuration = () => vscode.workspace.getConfiguration(settings.section);
describe('The settings', () => {
  const warnings: string[] = [];
  let reader: SettingsReader;

  /** Sets one and resolves when the reader has seen it. */
  async function set(name: string, value: unknown): Promise<void> {
    const seen = new Promise<void>((resolve) => {
      const subscription = reader.onDidChange(() => {
        subscription.dispose();
        resolve();
      });
    });
    await configuration().update(name, value, vscode.ConfigurationTarget.Global);
    await seen;
  }

  beforeEach(() => {
    warnings.length = 0;
    reader = new SettingsReader({ warn: (text) => warnings.push(text) });
  });
  afterEach(async () => {
    reader.dispose();
    for (const { key, value } of Object.values(settings)
      .filter((name) => name !== settings.section)
      .map((name) => ({ key: name, value: configuration().inspect(name)?.globalValue }))) {
      if (value === undefined) continue;
      await configuration().update(key, undefined, vscode.ConfigurationTarget.Global);
    }
  });

  it('have the declared defaults if nothing is set', () => {
    const { servers, ...others } = reader.current;
    assert.deepEqual(JSON.parse(JSON.stringify(servers)), {});
    assert.deepEqual(others, {
      isDemoServerEnabled: false,
      callsOnClick: false,
      opensTables: true,
      opensPages: true,
      servesAgents: false,
      agentServers: [],
      toolSets: new Map(),
      groupsByOrigin: false,
      startServers: 'onFirstUse',
      restartsCrashedServers: true,
      clientDocument: '',
      sharesWorkspaceFolders: false,
      allowsBroadDestructiveGrants: false,
      recordsArguments: false,
      recordingOmits: [],
      requiresJournal: false,
      volatileFields: settingDeclarations.volatileFields.default,
      callTimeouts: new Map(),
      ...Object.fromEntries(
        Object.entries(settingDeclarations).flatMap(([name, declaration]) =>
          'minimum' in declaration ? [[name, declaration.default]] : [],
        ),
      ),
    });
    assert.deepEqual(warnings, []);
  });

  it('are read again when they change, and an invalid one is reported', async () => {
    await set(settings.maxCallsPerServer, 3);
    assert.equal(reader.current.maxCallsPerServer, 3);
    await set(settings.maxCallsPerServer, 'many');
    assert.equal(reader.current.maxCallsPerServer, settingDeclarations.maxCallsPerServer.default);
    assert.equal(warnings.length, 1);
  });

  it('of VS Code are foreign unless the value is that of the user', async () => {
    const name = 'editor.fontFamily';
    const setOwn = (value: string | undefined) =>
      vscode.workspace.getConfiguration().update(name, value, vscode.ConfigurationTarget.Global);
    const until = (value: string) =>
      eventually(
        () => vscode.workspace.getConfiguration().get(name),
        (now) => now === value,
      );
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    const file = path.join(folder?.uri.fsPath ?? assert.fail(), '.vscode', 'settings.json');
    const found = [isForeignSetting(name, undefined)];
    try {
      await setOwn('mine');
      await until('mine');
      found.push(isForeignSetting(name, undefined));
      // As a repository contains it.
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, JSON.stringify({ [name]: 'theirs' }));
      await until('theirs');
      found.push(isForeignSetting(name, undefined));
      await rm(file);
      await until('mine');
    } finally {
      await rm(file, { force: true });
      await setOwn(undefined);
    }
    assert.deepEqual(found, [true, false, true]);
  });

  it('cannot be set by a workspace, except display settings and rules', async () => {
    const others = Object.entries(settings).filter(
      ([name]) => !['section', 'groupByOrigin', 'rules'].includes(name),
    );
    assert.ok(others.length > 20);
    for (const [, key] of others) {
      await assert.rejects(
        async () => configuration().update(key, null, vscode.ConfigurationTarget.Workspace),
        key,
      );
    }
  });
});
