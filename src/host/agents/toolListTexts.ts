import { randomUUID } from 'node:crypto';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { WorkTurns } from '../../core/bounds/workTurns';
import { isObject } from '../../core/json/shapes';
import type { AgentTool, AgentToolDefinition } from './agentTools';

/** An answer leaves in the round in which it is made. */
const answerMs = 60_000;

/**
 * Lists of tools as JSON, made once for each state and sent as bytes, whoever asks how often: a list
 * may have 20,000 tools. To the SDK each is one tool, whose name stands for it.
 */
export class ToolListTexts {
  readonly #marks = new WeakMap<readonly AgentTool[], Promise<AgentToolDefinition>>();
  readonly #texts = new Map<string, WeakRef<Buffer>>();
  /** Kept as long as the list is. */
  readonly #kept = new WeakMap<readonly AgentTool[], Buffer>();

  /** What stands for `tools`, the same for the same list. */
  markOf(tools: readonly AgentTool[]): Promise<AgentToolDefinition> {
    let mark = this.#marks.get(tools);
    if (mark === undefined) this.#marks.set(tools, (mark = this.#make(tools)));
    // Until the answer has gone through the SDK nobody else may hold the list any more.
    setTimeout(() => this.#marks.has(tools), answerMs).unref();
    return mark;
  }

  /** The line of an answer that holds one, in pieces that are not changed; absent for any other. */
  lineOf(message: JSONRPCMessage): readonly (string | Buffer)[] | undefined {
    if (!('result' in message)) return undefined;
    const { result } = message;
    if (!isObject(result) || !Array.isArray(result['tools'])) return undefined;
    const [only]: readonly unknown[] = result['tools'];
    const name = isObject(only) && typeof only['name'] === 'string' ? only['name'] : '';
    const text = this.#texts.get(name)?.deref();
    if (text === undefined) return undefined;
    const line = JSON.stringify({ ...message, result: { ...result, tools: name } });
    const [before = '', after = ''] = line.split(JSON.stringify(name));
    return [before, text, `${after}\n`];
  }

  async #make(tools: readonly AgentTool[]): Promise<AgentToolDefinition> {
    const turns = new WorkTurns();
    const pieces: string[] = [];
    for (const { definition } of tools) {
      pieces.push(JSON.stringify(definition));
      if (turns.isOver) await turns.giveWay();
    }
    const text = Buffer.from(`[${pieces.join(',')}]`);
    const name = randomUUID();
    this.#kept.set(tools, text);
    for (const [known, held] of this.#texts) {
      if (held.deref() === undefined) this.#texts.delete(known);
    }
    this.#texts.set(name, new WeakRef(text));
    return { name, inputSchema: { type: 'object' }, annotations: noHints };
  }
}

const noHints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
};
