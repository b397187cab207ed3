import assert from 'node:assert/strict';
import { folderLabel } from '../../src/ui/format/folderLabel';

describe('The label of a workspace folder', () => {
  const folder = (path: string, name = path.split(/[\\/]/).at(-1) ?? '') => ({ path, name });
  for (const [all, labels] of [
    [
      [folder('/work/app'), folder('/work/lib')],
      ['app', 'lib'],
    ],
    [
      [folder('/work/new/app'), folder('/work/old/app')],
      ['app (new/app)', 'app (old/app)'],
    ],
    [
      [folder('/work/app'), folder('/work/app/app')],
      ['app (work/app)', 'app (app/app)'],
    ],
    [
      [folder('/a/x/app'), folder('/b/x/app')],
      ['app (a/x/app)', 'app (b/x/app)'],
    ],
    [
      [folder('/app'), folder('/app/x/app')],
      ['app (/app)', 'app (x/app)'],
    ],
    [
      [folder('/x/one', 'app'), folder('/x/two', 'app')],
      ['app (one)', 'app (two)'],
    ],
    [
      [folder('C:\\a\\app'), folder('D:\\a\\app')],
      ['app (C:/a/app)', 'app (D:/a/app)'],
    ],
  ] as const) {
    it(`is its name, and tells it apart from others of this name: ${labels.join(', ')}`, () =>
      assert.deepEqual(
        all.map((each) => folderLabel(each, all)),
        labels,
      ));
  }
});
