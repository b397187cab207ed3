import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

// Files are opened for reading in one place, which looks at their kind and size first.

const root = path.resolve(__dirname, '../src');
/** Fewer than these mean that the test looked at nothing. */
const fewestFiles = 400;

/** Ways to read a file that take whatever stands at a path, or wait for it. */
const reading = [
  /\breadFile(?:Sync)?\(/,
  /(?<!\.)\bcreateReadStream\(/,
  /\bopen(?:Sync)?\([^()]*(?:\([^()]*\)[^()]*)*'(?:r|r\+|rs)'/,
  /\bO_RDONLY\b/,
];

/** What is read otherwise, and why that is safe. */
const exceptions: Readonly<Record<string, string>> = {
  'core/bounds/regularFile.ts': 'the one place',
  'core/stdio/procFs.ts': 'files of the kernel in /proc',
  'core/stdio/processFacts.ts': 'a file of the kernel in /proc',
  'manifest/generate.ts': 'is not part of the product',
  'ui/editor/readableDocument.ts': 'looks at kind and size first; used for file systems of VS Code',
};
/** Functions of our own that have the name. */
const ownReaders = /(?:this\.#context|options|#?there\(\)\))\.readFile\(|^\s*(?:async )?readFile\(/;

describe('Files that Toolgate reads', () => {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => name.split(path.sep).join('/'));
  const found = files.filter((file) =>
    readFileSync(path.join(root, file), 'utf8')
      .split('\n')
      .some((line) => reading.some((each) => each.test(line)) && !ownReaders.test(line)),
  );

  it('are opened by one function, which refuses pipes, devices and large files', () => {
    assert.ok(files.length >= fewestFiles, `${files.length} files`);
    assert.deepEqual(found.toSorted(), Object.keys(exceptions).toSorted());
  });
});
