import assert from 'node:assert/strict';
import path from 'node:path';
import type { Skill } from '../../src/core/skills/skill';
import type { ServerRegistry } from '../../src/host/connections/registry';
import type { Pins } from '../../src/host/consent/pins/pins';
import { SkillPins } from '../../src/host/resources/skillPins';
import {
  type SkillConnection,
  skillKind,
  type SkillLists,
  ServerLists,
} from '../../src/host/resources/serverLists';
import { bundled } from '../servers/bundled';
import { marksText, PinWindows } from './pinFixtures';
import { trustedRegistry } from './trustedRegistry';
import { untilEvent } from '../waiting';

const forms = 'skill://forms/SKILL.md';

describe('The accepted skills of a server', () => {
  let registry: ServerRegistry;
  let lists: SkillLists;
  let windows: PinWindows;
  let skills: SkillPins;

  beforeEach(() => {
    const program = bundled(path.resolve(__dirname, '../servers/skills2.ts'));
    const files = { command: process.execPath, args: [program], env: {} };
    registry = trustedRegistry({ files });
    lists = new ServerLists<Skill, SkillConnection>(registry, skillKind);
    windows = new PinWindows();
    skills = new SkillPins({ registry, lists, pins: windows.open() });
  });
  afterEach(async () => {
    skills.dispose();
    lists.dispose();
    await registry.stopAll();
    registry.dispose();
    windows.remove();
  });

  const marked = (pins: Pins, text: string) =>
    untilEvent(pins.onDidChange, () => marksText(pins) === text);
  /** Resolves when the listed skills were compared. */
  const listed = async (pins: Pins): Promise<void> => {
    await lists.ensure('files');
    const [server] = skills.servers;
    await pins.observe(server ?? assert.fail('not listed'));
  };
  const edit = () => Object(registry.client('files')).callTool('edit', {});

  it('are those of the first list; one with another digest has changed until it is accepted, over restarts', async () => {
    const { pins } = skills;
    await registry.start('files');
    assert.equal(skills.servers.length, 0);
    await listed(pins);
    assert.equal(marksText(pins), '');
    await edit();
    await marked(pins, `changed ${forms}`);
    const [server] = skills.servers;
    const changed = server?.tools.find(({ tool }) => tool.name === forms) ?? assert.fail();
    const before = await pins.definition(server?.config ?? assert.fail(), forms);
    assert.equal(before?.tool.title, 'forms');
    assert.notDeepEqual(before?.tool.inputSchema, changed.tool.inputSchema);
    await registry.stop('files');
    await marked(pins, '');

    // Another window, and a run in which the file is as it was at first.
    const other = windows.open();
    const others = new SkillPins({ registry, lists, pins: other });
    await registry.start('files');
    await listed(other);
    assert.equal(marksText(other), '');
    await edit();
    await marked(other, `changed ${forms}`);
    await other.accept(server?.config ?? assert.fail(), changed.tool);
    assert.equal(marksText(other), '');
    others.dispose();
    other.dispose();
  });
});
