export interface Note {
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
