import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { useFolders } from './host/testFolders';
import { removeLeftFolders } from './leftFolders';

const day = 24 * 60 * 60 * 1_000;

describe('Temporary folders of tests', () => {
  const newFolder = useFolders('left');

  it('are removed by a later run after a day, and nothing else is', () => {
    const place = newFolder();
    const now = Date.now();
    const make = (name: string, ageMs: number) => {
      const folder = path.join(place, name);
      mkdirSync(folder, { recursive: true });
      writeFileSync(path.join(folder, 'file'), '');
      const at = new Date(now - ageMs);
      utimesSync(folder, at, at);
    };
    make('toolgate-ui-tests-aB3dE6', 2 * day);
    make('toolgate-gate-aB3dE6', day / 2);
    // The folder of a socket for agents, that of the command line, and one of another program.
    for (const name of ['toolgateaB3dE6', 'toolgate', 'other-gate-aB3dE6']) make(name, 2 * day);
    symlinkSync(path.join(place, 'toolgate'), path.join(place, 'toolgate-link-aB3dE6'));
    removeLeftFolders(place, now);
    const left = [
      'other-gate-aB3dE6',
      'toolgate',
      'toolgate-gate-aB3dE6',
      'toolgate-link-aB3dE6',
      'toolgateaB3dE6',
    ];
    assert.deepEqual(readdirSync(place).toSorted(), left);
  });
});
