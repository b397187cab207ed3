import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { Answers } from '../../src/host/history/answers';
import { resultOf } from './pastCalls';
import { useFolders } from './testFolders';

const maxBytes = 1_000_000;

describe('Stored answers', () => {
  const newFolder = useFolders('answers');

  it('are deleted with every removed record, even if they arrived after the deletion began', async () => {
    const folder = newFolder();
    const answers = new Answers(folder);
    await answers.write('early', resultOf('x'), maxBytes);
    await answers.removeAll(async () => {
      await answers.write('ended-meanwhile', resultOf('x'), maxBytes);
      await answers.write('not-over', resultOf('x'), maxBytes);
      return ['early.json', 'ended-meanwhile.json', 'broken.json.corrupt-1'];
    });
    assert.deepEqual(readdirSync(folder), ['not-over.ndjson']);
  });

  it('are deleted with a record that arrived too late for its removal', async () => {
    const answers = new Answers(newFolder());
    await answers.write('known', resultOf('x'), maxBytes);
    await answers.write('late', resultOf('x'), maxBytes);
    const asked: (readonly string[] | 'all')[] = [];
    await answers.removeAll((names) => {
      asked.push(names === undefined ? 'all' : [...names]);
      return Promise.resolve(['known.json']);
    });
    assert.deepEqual(asked, ['all', ['late.json']]);
  });
});
