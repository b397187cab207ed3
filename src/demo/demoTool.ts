import type { CallToolResult, Tool } from '@modelcontextprotocol/server';

export type InputSchema = Tool['inputSchema'];

/** Functions that a running call can use. */
export interface DemoCall {
  /** Aborts when the client cancels or disconnects. */
  readonly signal: AbortSignal;
  /** Does nothing if the client did not ask for progress. */
  readonly reportProgress: (progress: number, total: number, message: string) => Promise<void>;
}

/** A tool's definition and implementation. */
export interface DemoTool {
  readonly definition: Tool;
  /** `given` was validated by the input schema. A thrown error becomes an error result. */
  run(given: Arguments, call: DemoCall): CallToolResult | Promise<CallToolResult>;
}

/** The arguments of a call. */
export class Arguments {
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values;
  }

  text(name: string, byDefault = ''): string {
    const value = this.#values[name];
    return typeof value === 'string' ? value : byDefault;
  }

  number(name: string, byDefault: number): number {
    const value = this.#values[name];
    return typeof value === 'number' ? value : byDefault;
  }

  flag(name: string, byDefault: boolean): boolean {
    const value = this.#values[name];
    return typeof value === 'boolean' ? value : byDefault;
  }

  /** All arguments as indented JSON, for tools that show what they got. */
  toJson(): string {
    return JSON.stringify(this.#values, undefined, 2);
  }
}

/** Returns a result with one text. */
export function answer(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}

/** The input schema of a tool without parameters. */
export const noParameters: InputSchema = { type: 'object', additionalProperties: false };
