import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { filesBeside, mayWriteBeside } from '../../src/host/callFiles/filesBeside';

describe('Files beside a call file', () => {
  let outer: string;
  let root: string;
  let callFile: string;

  beforeEach(() => {
    outer = realpathSync(mkdtempSync(path.join(tmpdir(), 'toolgate-beside-')));
    root = path.join(outer, 'root');
    callFile = path.join(root, 'calls/garden.mcpcall');
    mkdirSync(path.dirname(callFile), { recursive: true });
    mkdirSync(path.join(outer, 'root-of-others'));
    writeFileSync(path.join(outer, 'outside.json'), 'outside');
    writeFileSync(path.join(root, 'inside.json'), 'inside');
  });

  afterEach(() => rmSync(outer, { recursive: true }));

  const mayWrite = (named: string) => mayWriteBeside(callFile, root, named);

  it('are read if they are inside the folder, through links', async () => {
    symlinkSync(path.join(outer, 'outside.json'), path.join(root, 'calls/link.json'));
    const read = filesBeside(callFile, root);
    assert.deepEqual(await read('../inside.json'), { text: 'inside' });
    assert.deepEqual(await read('../../outside.json'), { code: 'fileOutside' });
    assert.deepEqual(await read('link.json'), { code: 'fileOutside' });
    assert.deepEqual(await read('none.json'), { code: 'fileMissing' });
  });

  it('may be written inside the folder, whether they exist or not', async () => {
    for (const named of ['new.json', '../inside.json', 'no/such/folder/new.json', '../new.json']) {
      assert.equal(await mayWrite(named), true, named);
    }
  });

  it('may not be written anywhere else', async () => {
    const names = ['../../outside.json', '../../new.json', '../../root-of-others/new.json'];
    for (const named of [...names, path.join(outer, 'outside.json')]) {
      assert.equal(await mayWrite(named), false, named);
    }
  });

  it('may not be written through links that lead outside, or to nothing', async () => {
    symlinkSync(path.join(outer, 'outside.json'), path.join(root, 'calls/link.json'));
    symlinkSync(path.join(outer, 'not-there-yet.json'), path.join(root, 'calls/dangling.json'));
    symlinkSync(outer, path.join(root, 'calls/folder'));
    for (const named of ['link.json', 'dangling.json', 'folder/new.json', 'folder/a/b.json']) {
      assert.equal(await mayWrite(named), false, named);
    }
  });
});
