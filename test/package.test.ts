import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { projectFolder } from './vscode/paths';
import { makeTemporaryFolder } from './vscode/server';
import { buildVsix } from './vscode/vsix';

/** It is 525 kB; what makes it much more should be a decision, not an accident. */
const maxBytes = 560_000;

/** Names in a ZIP file, from the directory at its end (APPNOTE.TXT 4.3.12 and 4.3.16). */
function namesInZip(zip: Buffer): string[] {
  const end = zip.lastIndexOf('PK\u0005\u0006', undefined, 'latin1');
  let offset = zip.readUInt32LE(end + 16);
  return Array.from({ length: zip.readUInt16LE(end + 10) }, () => {
    const nameLength = zip.readUInt16LE(offset + 28);
    const name = zip.toString('utf8', offset + 46, offset + 46 + nameLength);
    offset += 46 + nameLength + zip.readUInt16LE(offset + 30) + zip.readUInt16LE(offset + 32);
    return name;
  });
}

describe('The package', () => {
  const { folder, remove } = makeTemporaryFolder('package');
  let output = '';
  let bytes = Buffer.alloc(0);

  before('is made', async () => {
    const vsix = await buildVsix(folder);
    output = vsix.output;
    bytes = readFileSync(vsix.file);
  });
  after('is thrown away', remove);

  it('is made without a warning', () => {
    assert.match(output, /DONE\s+Packaged/);
    assert.deepEqual(
      output.split('\n').filter((line) => /WARNING|\[WARNING\]|▲/.test(line)),
      [],
    );
  });

  it('holds what people need and nothing else', () => {
    const languages = readdirSync(path.join(projectFolder, 'media/languages'));
    assert.ok(languages.length > 20, `${languages.length} languages`);
    assert.deepEqual(namesInZip(bytes).toSorted(), [
      '[Content_Types].xml',
      'extension.vsixmanifest',
      'extension/LICENSE.txt',
      'extension/changelog.md',
      'extension/dist/demoServer.js',
      'extension/dist/extension.js',
      'extension/media/icon.png',
      'extension/media/icon.svg',
      ...languages.map((name) => `extension/media/languages/${name}`).toSorted(),
      'extension/media/mcpresult.tmLanguage.json',
      'extension/media/toolgate.svg',
      'extension/media/walkthrough/addServer.svg',
      'extension/media/walkthrough/callTool.svg',
      'extension/media/walkthrough/lookAtRisk.svg',
      'extension/package.json',
      'extension/package.nls.json',
      'extension/readme.md',
    ]);
  });

  it('is small', () => {
    assert.ok(bytes.length < maxBytes, `${bytes.length} bytes`);
  });
});
