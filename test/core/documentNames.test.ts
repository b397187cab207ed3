import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { toParts, toResourceParts } from '../../src/core/content/content';
import {
  allTextKinds,
  documentExtension,
  documentName,
  isDocumentName,
  languageOfDocument,
  overviewName,
  sentencesName,
  viewedExtensions,
} from '../../src/core/content/documentNames';
import * as ids from '../../src/ids';
import { foreignTextSchemes } from '../../src/ui/editor/foreignTextSchemes';

const root = path.resolve(__dirname, '../..');
const { contributes } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  contributes: {
    languages: { id: string; extensions?: string[] }[];
  };
};
const media = (['image', 'audio', 'video'] as const).flatMap(viewedExtensions);
const extensions = new Set([
  ...allTextKinds.map(documentExtension),
  ...media,
  'mcpbin',
  'mcpresult',
  'mcptext',
  'mcptable',
]);

/** Ends on which an editor, a language service or the workbench acts. */
const actedOn =
  'ipynb github-issues csv tsv pdf svg html htm md markdown json jsonc code-workspace vsix ' +
  'code-profile code-search code-snippets mcpcall url webloc lnk desktop prompt.md agent.md ' +
  'instructions.md interactive excalidraw drawio http rest js ts php css ics wasm sqlite db exe';
const payloads = [
  Buffer.from('{"cells":[],"nbformat":4}'),
  Buffer.from('\u0000\u0001binary'),
  Buffer.from('%PDF-1.7'),
  Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
  Buffer.from('\x89PNG\r\n\x1a\n....', 'latin1'),
  Buffer.from('ID3......', 'latin1'),
  Buffer.alloc(0),
];

function assertOurs(name: string): void {
  assert.match(name, /^[^./\\]+\.[a-z0-9]+$/);
  assert.ok(extensions.has(name.split('.')[1] ?? ''), name);
  assert.ok(isDocumentName(name), name);
}

describe('The names of documents', () => {
  it('never end with an extension that another editor handles, whatever an answer contains', () => {
    let seen = 0;
    for (const extension of actedOn.split(' ')) {
      for (const bytes of payloads) {
        for (const mimeType of [undefined, 'application/x-foo', 'text/plain', 'image/png']) {
          const facts = {
            uri: `x://shelf/report.${extension}`,
            ...(mimeType === undefined ? {} : { mimeType }),
          };
          const contents = [
            { ...facts, blob: bytes.toString('base64') },
            { ...facts, text: bytes.toString() },
          ];
          const blocks = contents.map((resource) => ({ type: 'resource', resource }) as const);
          const parts = [
            ...toResourceParts({ contents }, { title: `tool.${extension}` }),
            ...toParts({ content: blocks, isError: false }, { title: `tool.${extension}` }),
            ...toParts({ content: blocks.slice(1), isError: false }, { title: extension }),
          ];
          for (const part of parts) {
            assert.ok(part.kind !== 'link');
            assertOurs(part.documentName);
            const ending = part.documentName.split('.')[1] ?? '';
            // Only bytes that say so themselves are for a preview.
            assert.equal(media.includes(ending), part.viewer !== undefined);
            if (part.viewer !== undefined) {
              assert.match(
                Buffer.from(part.read() as Uint8Array).toString('latin1'),
                /^(\x89PNG|ID3)/,
              );
            }
            seen += 1;
          }
        }
      }
    }
    assert.ok(seen > 1_000);
  });

  it('are valid for any stem and extension', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (stem, extension) => {
        assertOurs(documentName(stem, 'text', { kind: 'text', extension }));
        assertOurs(documentName(stem, 'file', { kind: 'bytes', sniffedType: extension }));
        assertOurs(overviewName(stem));
        assertOurs(sentencesName(stem, 'server'));
      }),
      { numRuns: 5_000 },
    );
  });

  it('distinguish the parts of one result', () => {
    const blocks = ['a.json', 'a.ipynb', '2.a', '2-a'].map(
      (name) => ({ type: 'resource', resource: { uri: `x:/${name}`, text: '{}' } }) as const,
    );
    const names = toParts({ content: blocks, isError: false }, { title: '2.resource' }).flatMap(
      (part) => (part.kind === 'link' ? [] : [part.documentName]),
    );
    assert.equal(new Set(names).size, blocks.length);
  });

  it('become the original names in a save dialog', () => {
    const uri = 'x://shelf/report.v2.ipynb';
    const [part] = toResourceParts(
      { contents: [{ uri, mimeType: 'application/x-foo', text: '{}' }] },
      {
        title: 'resource',
      },
    );
    assert.ok(part !== undefined && part.kind !== 'link');
    assert.deepEqual([part.name, part.documentName], ['report.v2.ipynb', 'report-v2.mcpjson']);
  });

  it('are not recognized among other names', () => {
    for (const name of [
      'report.ipynb',
      'a.ipynb.mcpjson',
      '.mcpjson',
      'mcpjson',
      'a.json',
      'a.mcpcall',
      'a.mcpJSON',
      '',
    ]) {
      assert.equal(isDocumentName(name), false, name);
    }
  });
});

describe('The languages of documents', () => {
  it('are those of the manifest, each by the extension of the name', () => {
    const named = contributes.languages.filter(({ id }) => /^toolgate-|^mcp/.test(id));
    assert.ok(named.length > allTextKinds.length);
    for (const { id, extensions: own = [] } of named) {
      for (const extension of own) assert.equal(languageOfDocument(`a${extension}`), id);
    }
  });
});

describe('The code that opens documents', () => {
  it('is in one file, except for files of the user', () => {
    const files = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' });
    const sources = files.filter((file) => file.endsWith('.ts'));
    assert.ok(sources.length > 100);
    const opens = /'vscode\.(?:open|openWith|diff|changes|openFolder)'|showNotebookDocument/;
    const opening = sources.filter((file) =>
      opens.test(readFileSync(path.join(root, 'src', file), 'utf8')),
    );
    assert.deepEqual(opening.map((file) => file.split(path.sep).join('/')).toSorted(), [
      'ui/adding/writeAddition.ts',
      'ui/callFiles/callFilesView.ts',
      'ui/consent/toolChanges/lockFileCommands.ts',
      'ui/editor/allowedEditors.ts',
    ]);
  });

  it('covers every scheme with foreign text', () => {
    const schemes = Object.entries(ids).flatMap(([name, value]) =>
      /^scheme$|Scheme$/.test(name) && typeof value === 'string' ? [value] : [],
    );
    // Arguments are the person's; the rest are schemas, which no tab shows.
    const others = [
      ids.argumentsScheme,
      ids.schemaScheme,
      ids.callFileScheme,
      ids.sharedFileSchemaScheme,
    ];
    assert.deepEqual([...foreignTextSchemes, ...others].toSorted(), schemes.toSorted());
  });
});
