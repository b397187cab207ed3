import { answer, noParameters, type DemoTool, type InputSchema } from './demoTool';
const nameSchema = {
  type: 'string',
  description: 'Name of the note.',
  minLength: 1,
  maxLength: 80,
} as const;
const onlyName: InputSchema = {
  type: 'object',
  properties: { name: nameSchema },
  required: ['name'],
  additionalProperties: false,
};

/** Tools that read the garden. */
export function readingTools(garden: Garden): DemoTool[] {
  return [
    {
      definition: {
        name: 'list_notes',
        title: 'List notes',
        description: 'Names every note in the garden. Reads only, and only what is in this demo.',
        inputSchema: noParameters,
        annotations: { readOnlyHint: true, openWorldHint: false },
      },
      run: () => {
        const lines = garden.notes.map((note) => `- ${note.name} (${note.color}): ${note.text}`);
        return answer(lines.join('\n') || 'The garden is empty.');
      },
    },
    {
      definition: {
        name: 'read_note',
        title: 'Read a note',
        description: 'Shows one note with everything that is known about it.',
        inputSchema: onlyName,
        annotations: { readOnlyHint: true, openWorldHint: false },
      },
      run: (given) => answer(JSON.stringify(garden.get(given.text('name')), undefined, 2)),
    },
    {
      definition: {
        name: 'look_up_weather',
        title: 'Look up the weather',
        description:
          'Says what the weather will be. It only pretends: a real tool like this one would send the place to a service on the internet.',
        inputSchema: {
          type: 'object',
          properties: { place: { type: 'string', description: 'Town or village.', minLength: 1 } },
          required: ['place'],
        },
        annotations: { readOnlyHint: true, openWorldHint: true },
      },
      run: (given) => answer(`${given.text('place')}: sunny, 21 °C, a light wind. (Made up.)`),
    },
  ];
}

/** Tools that only add to the garden. */
export function addingTools(garden: Garden): DemoTool[] {
  return [
    {
      definition: {
        name: 'plant_note',
        title: 'Plant a note',
        description: 'Adds a new note. Calling it twice with the same name fails the second time.',
        inputSchema: {
          type: 'object',
          properties: {
            name: nameSchema,
            text: {
              type: 'string',
              description: 'What the note says.',
              maxLength: 2_000,
              default: 'Water me.',
            },
            color: { type: 'string', enum: ['red', 'yellow', 'blue', 'white'], default: 'red' },
            priority: {
              type: 'integer',
              description: '1 is urgent, 5 can wait.',
              minimum: 1,
              maximum: 5,
              default: 3,
            },
            heightCm: { type: 'number', title: 'Height in cm', exclusiveMinimum: 0, maximum: 400 },
            pinned: {
              type: 'boolean',
              description: 'Whether it stays at the top.',
              default: false,
            },
          },
          required: ['name', 'text'],
          additionalProperties: false,
        },
        annotations: {
          readOnlyHint: false,
          destructiveHint: false,
          idempotentHint: false,
          openWorldHint: false,
        },
      },
      run: (given) => {
        const note = garden.plant({
          name: given.text('name'),
          text: given.text('text'),
          color: given.text('color', 'red'),
          priority: given.number('priority', 3),
          heightCm: given.number('heightCm', 10),
          isPinned: given.flag('pinned', false),
        });
        return answer(`Planted "${note.name}", ${note.color}, ${note.heightCm} cm.`);
      },
    },
    {
      definition: {
        name: 'label_note',
        title: 'Label a note',
        description: 'Puts a label on a note. A second time changes nothing.',
        inputSchema: {
          type: 'object',
          properties: { name: nameSchema, label: { type: 'string', minLength: 1, maxLength: 40 } },
          required: ['name', 'label'],
          additionalProperties: false,
        },
        annotations: {
          readOnlyHint: false,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: false,
        },
      },
      run: (given) => {
        const { labels } = garden.get(given.text('name'));
        const all = [...new Set([...labels, given.text('label')])].slice(0, 20);
        garden.change(given.text('name'), { labels: all });
        return answer(`"${given.text('name')}" has the labels: ${all.join(', ')}.`);
      },
    },
  ];
}

/** Tools that remove notes, and two without annotations. */
export function removingTools(garden: Garden): DemoTool[] {
  return [
    {
      definition: {
        name: 'cut_note',
        title: 'Cut the last word off a note',
        description: 'Removes the last word of a note. Each call removes another one.',
        inputSchema: onlyName,
        annotations: {
          readOnlyHint: false,
          destructiveHint: true,
          idempotentHint: false,
          openWorldHint: false,
        },
      },
      run: (given) => {
        const text = garden.get(given.text('name')).text.replace(/\s*\S+\s*$/, '');
        garden.change(given.text('name'), { text });
        return answer(`It now says: "${text}"`);
      },
    },
    {
      definition: {
        name: 'delete_note',
        title: 'Delete a note',
        description: 'Deletes a note for good. Deleting it again does nothing.',
        inputSchema: onlyName,
        annotations: {
          readOnlyHint: false,
          destructiveHint: true,
          idempotentHint: true,
          openWorldHint: false,
        },
      },
      run: (given) =>
        answer(
          garden.remove(given.text('name'))
            ? `Deleted "${given.text('name')}".`
            : `There was no note called "${given.text('name')}".`,
        ),
    },
    {
      definition: {
        name: 'turn_garden_around',
        title: 'Turn the garden around',
        description:
          'Puts the notes into the opposite order. It says nothing about its risk, so the worst is assumed.',
        inputSchema: noParameters,
      },
      run: () => {
        garden.turnAround();
        return answer(garden.notes.map((note) => note.name).join(', '));
      },
    },
    {
      definition: {
        name: 'peek',
        title: 'Peek over the hedge',
        description:
          'Its annotations look harmless but are none: "readOnly" and "safe" mean nothing in MCP, only "readOnlyHint" and its siblings do. The worst is assumed.',
        inputSchema: noParameters,
        annotations: lookAlikes,
      },
      run: () => answer(`${garden.notes.length} notes grow behind the hedge.`),
    },
  ];
}

const lookAlikes: object = { readOnly: true, destructive: false, safe: true };

interface Note {
  readonly name: string;
  readonly text: string;
  readonly color: string;
  readonly priority: number;
  readonly heightCm: number;
  readonly isPinned: boolean;
  readonly labels: readonly string[];
}

/** Keeps a runaway client from filling the memory. */
const maxNotes = 200;

/** The demo's notes, kept in memory for the life of the process. */
export class Garden {
  #notes = new Map<string, Note>();

  constructor() {
    this.plant({ name: 'welcome', text: 'Everything here is made up. Try any tool you like.' });
    this.plant({
      name: 'shopping',
      text: 'Tulip bulbs, twine, a blue watering can.',
      color: 'blue',
    });
    this.plant({ name: 'ideas', text: 'A pond behind the roses?', labels: ['someday'] });
  }

  get notes(): readonly Note[] {
    return [...this.#notes.values()];
  }

  get(name: string): Note {
    const note = this.#notes.get(name);
    if (note !== undefined) return note;
    const names = this.notes.map((n) => n.name).join(', ') || 'none';
    throw new Error(`There is no note called "${name}". There are: ${names}.`);
  }

  plant(note: Partial<Note> & Pick<Note, 'name' | 'text'>): Note {
    if (this.#notes.has(note.name)) throw new Error(`"${note.name}" grows here already.`);
    if (this.#notes.size >= maxNotes) throw new Error(`The garden is full (${maxNotes} notes).`);
    const planted = {
      color: 'red',
      priority: 3,
      heightCm: 10,
      isPinned: false,
      labels: [],
      ...note,
    };
    this.#notes.set(note.name, planted);
    return planted;
  }

  change(name: string, change: Partial<Omit<Note, 'name'>>): Note {
    const changed = { ...this.get(name), ...change };
    this.#notes.set(name, changed);
    return changed;
  }

  /** Returns true if the note existed. */
  remove(name: string): boolean {
    return this.#notes.delete(name);
  }

  turnAround(): void {
    this.#notes = new Map([...this.#notes].toReversed());
  }
}
