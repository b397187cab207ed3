import type { ContentBlock } from '@modelcontextprotocol/server';
import { answer, noParameters, type DemoTool } from './demoTool';
import { flowerPng, chime } from './picture';
import { findResource } from './resources';
const picture = (): ContentBlock => ({ type: 'image', data: flowerPng, mimeType: 'image/png' });
const sound = (): ContentBlock => ({
  type: 'audio',
  data: chime().toString('base64'),
  mimeType: 'audio/wav',
});
const embedded = (uri: string): ContentBlock => ({
  type: 'resource',
  resource: findResource(uri).contents,
});
const link = (uri: string): ContentBlock => ({
  ...findResource(uri).listing,
  type: 'resource_link',
  description: 'How to water, and where the tools are.',
});

/** A read-only tool without parameters that returns `content`. */
function contentTool(
  name: string,
  title: string,
  description: string,
  content: () => ContentBlock[],
): DemoTool {
  return {
    definition: {
      name,
      title,
      description,
      inputSchema: noParameters,
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    run: () => ({ content: content() }),
  };
}

const contentByKind: readonly DemoTool[] = [
  contentTool('show_flower', 'Show a flower', 'Answers with a picture (PNG).', () => [picture()]),
  contentTool('play_chime', 'Play a chime', 'Answers with a sound (WAV, one second).', () => [
    sound(),
  ]),
  contentTool(
    'point_to_guide',
    'Point to the guide',
    'Answers with a link to a resource, which is read when you open it.',
    () => [link('demo://garden/guide.md')],
  ),
  contentTool(
    'hand_over_prices',
    'Hand over the prices',
    'Answers with an embedded text file.',
    () => [embedded('demo://garden/prices.csv')],
  ),
  contentTool('hand_over_seeds', 'Hand over seeds', 'Answers with an embedded binary file.', () => [
    embedded('demo://garden/seeds.bin'),
  ]),
  contentTool(
    'bring_everything',
    'Bring everything',
    'Answers with six parts of all kinds.',
    () => [
      { type: 'text', text: 'Here is everything that the garden has to offer.' },
      picture(),
      sound(),
      link('demo://garden/guide.md'),
      embedded('demo://garden/prices.csv'),
      embedded('demo://garden/seeds.bin'),
    ],
  ),
];

const measurements = {
  type: 'object',
  properties: {
    areaM2: { type: 'number', minimum: 0 },
    beds: {
      type: 'array',
      items: {
        type: 'object',
        properties: { name: { type: 'string' }, lengthM: { type: 'number' } },
        required: ['name', 'lengthM'],
      },
    },
    measuredBy: { type: 'string' },
  },
  required: ['areaM2', 'beds', 'measuredBy'],
  additionalProperties: false,
} as const;

function measuringTool(
  name: string,
  title: string,
  description: string,
  structuredContent: Record<string, unknown>,
): DemoTool {
  return {
    definition: {
      name,
      title,
      description,
      inputSchema: noParameters,
      outputSchema: measurements,
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    run: () => ({ ...answer(JSON.stringify(structuredContent)), structuredContent }),
  };
}

const structured: readonly DemoTool[] = [
  measuringTool(
    'measure_garden',
    'Measure the garden',
    'Answers with structured content that fits its output schema.',
    {
      areaM2: 84.5,
      beds: [
        { name: 'Roses', lengthM: 6 },
        { name: 'Herbs', lengthM: 2.5 },
      ],
      measuredBy: 'the gardener',
    },
  ),
  measuringTool(
    'measure_badly',
    'Measure the garden badly',
    'Answers with structured content that breaks its own output schema in three places.',
    { areaM2: 'quite large', beds: [{ name: 'Roses' }], mood: 'sloppy', measuredBy: 'a mole' },
  ),
];

/** One tool for each kind of content, one with all of them, and one with structured content. */
export const contentTools: readonly DemoTool[] = [...contentByKind, ...structured];
