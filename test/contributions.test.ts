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

// The settings of package.json, held to the one table in the code.
const root = path.resolve(__dirname, '..');

interface Bounds {
  readonly minimum?: number;
  readonly maximum?: number;
}
interface Property extends Bounds {
  readonly order: number;
  readonly scope: string;
  readonly type: string;
  readonly default: unknown;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly additionalProperties?: Bounds;
  readonly ignoreSync?: boolean;
  readonly markdownDescription: string;
}
interface Section {
  readonly order: number;
  readonly title: string;
  readonly properties: Readonly<Record<string, Property>>;
}
const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  capabilities: { untrustedWorkspaces: { restrictedConfigurations?: unknown } };
  contributes: { configuration: readonly Section[] };
};
const texts = JSON.parse(readFileSync(path.join(root, 'package.nls.json'), 'utf8')) as Readonly<
  Record<string, string>
>;

type Name = keyof typeof settingDeclarations;
const names = Object.keys(settingDeclarations) as readonly Name[];
const keyOf = (name: Name): string => `${ids.settings.section}.${ids.settings[name]}`;
const declarations: Readonly<Record<Name, SettingDeclaration>> = settingDeclarations;
const properties: Readonly<Record<string, Property | undefined>> = Object.assign(
  {},
  ...manifest.contributes.configuration.map((section) => section.properties),
);
const propertyOf = (name: Name): Property => {
  const found = properties[keyOf(name)];
  assert.ok(found, keyOf(name));
  return found;
};

/** What both the table and the manifest say, in the shape of the table. */
function asDeclared({ scope, type, default: byDefault, ...rest }: Property): object {
  const { minimum, maximum, enum: values, pattern, additionalProperties: each } = rest;
  return {
    scope,
    type,
    default: byDefault,
    ...(minimum === undefined ? {} : { minimum, maximum }),
    ...(values === undefined ? {} : { enum: values }),
    ...(pattern === undefined ? {} : { pattern }),
    ...(each?.minimum === undefined
      ? {}
      : { values: { minimum: each.minimum, maximum: each.maximum } }),
  };
}

/** A bound as a description says it. */
function said(name: Name, value: number): string {
  const units = [
    ['GiB', 2 ** 30],
    ['MiB', 2 ** 20],
    ['KiB', 2 ** 10],
  ] as const;
  const unit = keyOf(name).endsWith('Bytes') && units.find(([, size]) => value % size === 0);
  return unit ? `${value / unit[1]} ${unit[0]}` : value.toLocaleString('en-US');
}

describe('The settings of the manifest', () => {
  it('are those of the table, in its groups and order', () => {
    assert.deepEqual(
      manifest.contributes.configuration.map((section) => ({
        order: section.order,
        title: section.title,
        properties: Object.entries(section.properties).map(([key, { order }]) => [order, key]),
      })),
      Object.entries(settingGroups).map(([group, members], at) => ({
        order: at + 1,
        title: `%configuration.${group}%`,
        properties: (Object.keys(members) as Name[]).map((name, place) => [place + 1, keyOf(name)]),
      })),
    );
    assert.ok(names.length > 20);
  });

  for (const name of names) {
    it(`describe ${ids.settings[name]} as the table does`, () => {
      const { effect, ...wanted } = declarations[name];
      assert.deepEqual(asDeclared(propertyOf(name)), wanted);
      assert.ok((scopesByEffect[effect] as readonly string[]).includes(wanted.scope), effect);
      const text = `setting.${ids.settings[name]}`;
      assert.equal(propertyOf(name).markdownDescription, `%${text}%`);
      const range = 'values' in wanted ? wanted.values : wanted;
      if (!('minimum' in range)) return;
      const bounds = `(${said(name, range.minimum)} to ${said(name, range.maximum)})`;
      assert.ok(texts[text]?.includes(bounds), `the description has no ${bounds}`);
    });
  }

  it('cannot be relaxed by a workspace, nor by Settings Sync', () => {
    const scopes = (...wanted: readonly string[]) =>
      names.filter((name) => wanted.includes(propertyOf(name).scope));
    assert.deepEqual(scopes('window', 'resource'), ['groupByOrigin', 'rules']);
    // VS Code syncs all but `machine`. An `allow` names a server, which elsewhere is another one.
    const synced = scopes('window', 'resource', 'application').filter(
      (name) => propertyOf(name).ignoreSync !== true,
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
