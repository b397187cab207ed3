import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { projectFolder } from './vscode/paths';
import { makeTemporaryFolder } from './vscode/server';
import { findOrBuildVsix } from './vscode/vsix';

/** It is 1,344 kB: 358 of them the command line, 88 the SDK for servers, 43 the Markdown of pages, twice 13 YAML for skills, and 12 filters of JSON. Much more should be a decision. */
const maxBytes = 1_350_000;

/** Of what every window loads; the rest is loaded when something of it is used. It is 41 kB, 10 of them names of commands and settings. */
const maxFirstBytes = 45_000;

/** The files in a ZIP file, from the directory at its end (APPNOTE.TXT 4.3.7, 4.3.12, 4.3.16). */
function filesInZip(zip: Buffer): Map<string, () => string> {
  const end = zip.lastIndexOf('PK\u0005\u0006', undefined, 'latin1');
  let offset = zip.readUInt32LE(end + 16);
  const entries = Array.from({ length: zip.readUInt16LE(end + 10) }, () => {
    const [size, start] = [zip.readUInt32LE(offset + 20), zip.readUInt32LE(offset + 42)];
    const nameLength = zip.readUInt16LE(offset + 28);
    const name = zip.toString('utf8', offset + 46, offset + 46 + nameLength);
    offset += 46 + nameLength + zip.readUInt16LE(offset + 30) + zip.readUInt16LE(offset + 32);
    const text = () => {
      const from = start + 30 + zip.readUInt16LE(start + 26) + zip.readUInt16LE(start + 28);
      return inflateRawSync(zip.subarray(from, from + size)).toString('utf8');
    };
    return [name, text] as const;
  });
  return new Map(entries);
}

describe('The package', () => {
  const { folder, remove } = makeTemporaryFolder('package');
  let output = '';
  let bytes = Buffer.alloc(0);

  before('is made', async () => {
    const vsix = await findOrBuildVsix(folder);
    output = vsix.output;
    bytes = readFileSync(vsix.file);
  });
  after('is thrown away', remove);

  it('is created without a warning', () => {
    assert.match(output, /DONE\s+Packaged/);
    assert.deepEqual(
      output.split('\n').filter((line) => /WARNING|\[WARNING\]|▲/.test(line)),
      [],
    );
  });

  it('contains only what users need', () => {
    const languages = readdirSync(path.join(projectFolder, 'media/languages'));
    assert.ok(languages.length > 20, `${languages.length} languages`);
    const files = [...filesInZip(bytes).keys()].toSorted();
    const isChunk = (file: string) => /^extension\/dist\/chunks\/[\w-]+\.js$/.test(file);
    assert.ok(files.some(isChunk));
    assert.deepEqual(
      files.filter((file) => !isChunk(file)),
      [
        '[Content_Types].xml',
        'extension.vsixmanifest',
        'extension/LICENSE.txt',
        'extension/changelog.md',
        'extension/dist/demoServer.js',
        'extension/dist/extension.js',
        'extension/dist/filterJson.js',
        'extension/dist/gateway.js',
        'extension/dist/mcpServer.js',
        'extension/dist/page.css',
        'extension/dist/page.js',
        'extension/dist/toolgate.js',
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
      ],
    );
  });

  it('loads little in a window that does not use it', () => {
    const files = filesInZip(bytes);
    const seen = new Map<string, string>();
    const load = (name: string): void => {
      if (seen.has(name)) return;
      const text = files.get(`extension/dist/${name}`)?.() ?? assert.fail(`no ${name}`);
      seen.set(name, text);
      const shared = text.matchAll(/require\("\.\/(?:chunks\/)?(chunk-\w+\.js)"\)/g);
      for (const [, chunk = ''] of shared) load(`chunks/${chunk}`);
    };
    load('extension.js');
    const length = [...seen.values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    assert.ok(seen.size > 1 && length < maxFirstBytes, `${length} bytes in ${seen.size} files`);
  });

  const readReadme = () => filesInZip(bytes).get('extension/readme.md')?.() ?? '';

  it('has the manual below its README, and no link to a file', () => {
    const readme = readReadme();
    const anchors = new Set([...readme.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id));
    const withoutCode = readme.replaceAll(/^ *```[^]*?^ *```$|`[^`\n]+`/gm, 'code');
    const links = [...withoutCode.matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target);
    const inside = links.filter((target) => target.startsWith('#'));
    assert.ok(inside.length > 40, `${inside.length} links`);
    assert.deepEqual(
      inside.filter((target) => !anchors.has(target.slice(1))),
      [],
    );
    const outside = links.filter((target) => !target.startsWith('#'));
    assert.deepEqual(
      outside.filter((target) => !target.startsWith('https://')),
      [],
    );
    const pages = readdirSync(path.join(projectFolder, 'docs'));
    const missing = pages.filter((name) => !anchors.has(`page:docs/${name}`));
    assert.deepEqual(missing, ['design']);
  });

  it('describes images in their place while they have no URL', () => {
    const readme = readReadme();
    assert.doesNotMatch(readme, /!\[/);
    assert.match(readme, /^_The Toolgate view: .+\._$/m);
  });

  it('is small', () => {
    assert.ok(bytes.length < maxBytes, `${bytes.length} bytes`);
  });
});
