import { Emitter } from 'vscode-jsonrpc/node';
import { parseToolSets, ToolSets } from '../../src/host/agents/toolSets';

/** Tool sets with a setting that a test writes. */
export class SetScene {
  readonly #changed = new Emitter<void>();
  readonly #kept = new Map<string, unknown>();
  #written: unknown = {};
  readonly toolSets: ToolSets;

  constructor(kept: readonly (readonly [string, unknown])[] = []) {
    for (const [key, value] of kept) this.#kept.set(key, value);
    const written = () => parseToolSets(this.#written).sets;
    this.toolSets = new ToolSets(
      {
        current: {
          get toolSets() {
            return written();
          },
        },
        onDidChange: this.#changed.event,
      },
      {
        get: (key) => this.#kept.get(key),
        update: async (key, value) => void this.#kept.set(key, value),
      },
    );
  }

  write(value: unknown): void {
    this.#written = value;
    this.#changed.fire();
  }
}
