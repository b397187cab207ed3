import { setTimeout as delay } from 'node:timers/promises';
import { answer, type DemoTool } from './demoTool';

const progressSteps = 10;
/** Enough to show how a large answer opens, and still fast. */
const maxKilobytes = 8_192;

const waitForSunset: DemoTool = {
  definition: {
    name: 'wait_for_sunset',
    title: 'Wait for the sunset',
    description: 'Takes its time, tells its progress, and stops when you cancel.',
    inputSchema: {
      type: 'object',
      properties: {
        seconds: { type: 'number', description: 'How long.', minimum: 0, maximum: 120, default: 5 },
      },
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  run: async (given, { signal, reportProgress }) => {
    const seconds = given.number('seconds', 5);
    for (let step = 1; step <= progressSteps; step++) {
      await delay((seconds * 1_000) / progressSteps, undefined, { signal });
      await reportProgress(step, progressSteps, `The sun has gone down ${step * 10} %`);
    }
    return answer(`The sun went down after ${seconds} seconds.`);
  },
};

const fail: DemoTool = {
  definition: {
    name: 'dig_for_treasure',
    title: 'Dig for treasure',
    description: 'Always fails, as tools sometimes do: the answer is an error.',
    inputSchema: {
      type: 'object',
      properties: { depthM: { type: 'number', minimum: 0, default: 1 } },
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  run: (given) => ({
    content: [{ type: 'text', text: `Nothing but stones, ${given.number('depthM', 1)} m down.` }],
    isError: true,
  }),
};

const notifyStory: DemoTool = {
  definition: {
    name: 'tell_long_story',
    title: 'Tell a long story',
    description: 'Answers with a text as large as you like, up to 8 MiB.',
    inputSchema: {
      type: 'object',
      properties: {
        kilobytes: { type: 'integer', minimum: 1, maximum: maxKilobytes, default: 100 },
      },
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  run: (given) => {
    const bytes = Math.min(given.number('kilobytes', 100), maxKilobytes) * 1_024;
    const line = 'And the gardener watered the roses, and the roses grew a little more.\n';
    return answer(line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes));
  },
};

const planBed: DemoTool = {
  definition: {
    name: 'plan_bed',
    title: 'Plan a flower bed',
    description: 'Takes nested arguments (objects and lists) and says what it understood.',
    inputSchema: {
      type: 'object',
      properties: {
        bed: {
          type: 'object',
          properties: {
            name: { type: 'string', minLength: 1 },
            size: {
              type: 'object',
              properties: {
                lengthM: { $ref: '#/$defs/meters' },
                widthM: { $ref: '#/$defs/meters' },
              },
              required: ['lengthM', 'widthM'],
            },
          },
          required: ['name', 'size'],
        },
        plants: {
          type: 'array',
          minItems: 1,
          maxItems: 50,
          items: {
            type: 'object',
            properties: {
              kind: { type: 'string', enum: ['tulip', 'rose', 'lily'] },
              count: { type: 'integer', minimum: 1 },
              months: { type: 'array', items: { type: 'string' }, uniqueItems: true },
            },
            required: ['kind', 'count'],
          },
        },
        notify: { oneOf: [{ type: 'boolean' }, { type: 'string', format: 'email' }] },
      },
      required: ['bed', 'plants'],
      additionalProperties: false,
      $defs: { meters: { type: 'number', exclusiveMinimum: 0, maximum: 100 } },
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  run: (given) => answer(`Understood:\n${given.toJson()}`),
};

/** Tools that are slow, fail, return long answers, or take many arguments. */
export const behaviourTools: readonly DemoTool[] = [waitForSunset, fail, notifyStory, planBed];
