import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as ids from '../src/ids';
import {
  scopesByEffect,
  type SettingDeclaration,
  settingDeclarations,
  settingGroups,
} from '../src/ui/settings/settingDeclarations';

// What the settings allow.
const root = path.resolve(__dirname, '..');

const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  capabilities: { untrustedWorkspaces: { restrictedConfigurations?: unknown } };
  contributes: {
    configuration: readonly { properties: Record<string, { ignoreSync?: boolean }> }[];
  };
};

type Name = keyof typeof settingDeclarations;
const names = Object.keys(settingDeclarations) as readonly Name[];
const keyOf = (name: Name): string => `${ids.settings.section}.${ids.settings[name]}`;
const declarations: Readonly<Record<Name, SettingDeclaration>> = settingDeclarations;
const properties: Readonly<Record<string, { ignoreSync?: boolean } | undefined>> = Object.assign(
  {},
  ...manifest.contributes.configuration.map((section) => section.properties),
);

describe('The settings of the manifest', () => {
  it('have a scope that their effect allows', () => {
    assert.ok(names.length > 20);
    const wrong = names.filter((name) => {
      const { effect, scope } = declarations[name];
      return !(scopesByEffect[effect] as readonly string[]).includes(scope);
    });
    assert.deepEqual(wrong, []);
  });

  it('cannot be relaxed by a workspace, nor by Settings Sync', () => {
    const scopes = (...wanted: readonly string[]) =>
      names.filter((name) => wanted.includes(declarations[name].scope));
    assert.deepEqual(scopes('window', 'resource'), ['groupByOrigin', 'rules']);
    // VS Code syncs all but `machine`. An `allow` names a server, which elsewhere is another one.
    const synced = scopes('window', 'resource', 'application').filter(
      (name) => properties[keyOf(name)]?.ignoreSync !== true,
    );
    assert.deepEqual(synced, [
      'groupByOrigin',
      'callOnClick',
      'showIcons',
      'volatileFields',
      'opensPages',
      'opensTables',
    ]);
    // What sets up a container for a repository writes settings of the machine, too.
    const admitting = names.filter((name) => declarations[name].effect === 'admits');
    assert.deepEqual(admitting, ['agentsEnabled', 'agentServers', 'toolSets']);
    assert.ok(synced.every((name) => declarations[name].effect === 'shows'));
    // It would be about values of a workspace, and rules of one count without trust: they tighten.
    assert.equal(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations, undefined);
  });

  it('are named by subject, each subject in one group', () => {
    const subjects = Object.entries(settingGroups).flatMap(([group, members]) => [
      ...new Set(
        (Object.keys(members) as Name[]).map(
          (name) => `${ids.settings[name].split('.')[0]} in ${group}`,
        ),
      ),
    ]);
    assert.deepEqual(subjects, [
      ...['servers', 'demoServer', 'connections', 'tree', 'icons', 'signIn'].map(
        (subject) => `${subject} in servers`,
      ),
      ...['calls', 'callFiles'].map((subject) => `${subject} in calls`),
      ...['history', 'results'].map((subject) => `${subject} in results`),
      ...['rules', 'permissions'].map((subject) => `${subject} in consent`),
      'agents in agents',
      'toolSets in agents',
      'journal in journal',
      'recordings in recordings',
    ]);
  });

  it('are never nested: VS Code would treat one as a member of the other’s value', () => {
    const below = names.filter((name) =>
      names.some((other) => keyOf(name).startsWith(`${keyOf(other)}.`)),
    );
    assert.deepEqual(below, []);
  });
});
