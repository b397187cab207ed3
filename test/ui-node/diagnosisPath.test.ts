import assert from 'node:assert/strict';
import { diagnosisPath } from '../../src/ui/diagnosis/diagnosisPath';

describe('The path of a diagnosis', () => {
  it('is another one for each server, and always the same for one', () => {
    const long = 'a'.repeat(60);
    const ids = ['сервер', '検索', 'my server', 'my_server', `${long}-one`, `${long}-two`];
    assert.equal(new Set(ids.map(diagnosisPath)).size, ids.length);
    assert.deepEqual(ids.map(diagnosisPath), ids.map(diagnosisPath));
  });

  it('ends with the name of the server, whose language is fixed', () => {
    assert.match(diagnosisPath('files'), /^\/\w+\/files\.mcptext$/);
    assert.match(diagnosisPath('../x.py'), /^\/\w+\/[^/]*\.mcptext$/);
  });
});
