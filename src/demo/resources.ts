import type {
  Resource,
  TextResourceContents,
  BlobResourceContents,
} from '@modelcontextprotocol/server';

interface DemoResource {
  readonly listing: Resource;
  readonly contents: TextResourceContents | BlobResourceContents;
}

const guide = `# A short guide to the notes garden

1. **List notes** shows what grows here.
2. **Plant a note** adds one, **Label a note** marks it.
3. **Delete a note** removes it for good, so Toolgate marks it red.

Everything is in memory. Stop the server and the garden is as it was.
`;

const prices = `flower,price,stock
tulip,1.20,40
rose,3.50,12
"lily, white",2.80,7
`;

/** 64 distinct bytes, beginning with 0, that are not text. */
const seeds = Buffer.from(Array.from({ length: 64 }, (_, i) => (i * 37) % 256));

export const resources: readonly DemoResource[] = [
  textResource('demo://garden/guide.md', 'Garden guide', 'text/markdown', guide),
  textResource('demo://garden/prices.csv', 'Prices', 'text/csv', prices),
  textResource('demo://garden/empty.txt', 'An empty page', 'text/plain', ''),
  {
    listing: {
      uri: 'demo://garden/seeds.bin',
      name: 'seeds.bin',
      title: 'A bag of seeds',
      description: 'A few bytes that are no text.',
      mimeType: 'application/octet-stream',
      size: seeds.length,
    },
    contents: {
      uri: 'demo://garden/seeds.bin',
      mimeType: 'application/octet-stream',
      blob: seeds.toString('base64'),
    },
  },
];

function textResource(uri: string, title: string, mimeType: string, text: string): DemoResource {
  const name = uri.slice(uri.lastIndexOf('/') + 1);
  return {
    listing: { uri, name, title, mimeType, size: Buffer.byteLength(text) },
    contents: { uri, mimeType, text },
  };
}

/** @throws if there is no resource with that URI */
export function findResource(uri: string): DemoResource {
  const found = resources.find((resource) => resource.listing.uri === uri);
  if (found === undefined) throw new Error(`There is no resource ${uri}`);
  return found;
}
