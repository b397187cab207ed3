import { createHash, randomUUID } from 'node:crypto';
import { WorkTurns } from '../../core/bounds/workTurns';
import type { JsonObject } from '../../core/json/jsonValue';
import { riskOf, riskLevels, type RiskLevel } from '../../core/risk';
import { toolProblems } from '../../core/toolProblems';
import type { ToolEntry } from '../connections/snapshot';
import { fitsAsker, fitsTool, mayOpenToAgents } from '../consent/rules/matchRules';
import type { Rule } from '../consent/rules/rule';
import { cleanedSchema, withoutHidden } from './agentTexts';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { isObject } from '../../core/json/shapes';

/** A tool as an agent knows it. */
export interface AgentTool {
  /** Id of its server in the configuration. */
  readonly server: string;
  /** Its own name there. */
  readonly tool: string;
  readonly definition: AgentToolDefinition;
}

interface AgentToolDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonObject & { readonly type: 'object' };
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
}

const maxDescriptionChars = 32_768;
/** Most clients take no longer names of tools. */
const maxJoinedChars = 64;
const hashChars = 8;

/**
 * The tool as agents are told of it under `name`: its risk as it counts, never kinder than what its
 * server says; without characters that a person would not see, and saying so. The schema of what
 * comes back is left out: clients throw away an answer that is not as promised.
 */
export function toAgentTool(entry: ToolEntry, name: string): AgentTool {
  const { tool, serverId } = entry;
  const { title, description, inputSchema } = tool;
  const schema = cleanedSchema(inputSchema);
  const hides =
    schema.isCleaned || toolProblems(tool).some(({ code }) => code === 'hiddenCharacters');
  const words = [
    // Bounded first, so that nothing of what is left is too much to look at.
    ...(description === undefined
      ? []
      : [withoutHidden(description.slice(0, maxDescriptionChars))]),
    ...(hides ? ['(Toolgate has taken hidden characters out of what the server says here.)'] : []),
  ];
  return {
    server: serverId,
    tool: tool.name,
    definition: {
      name,
      ...(title === undefined ? {} : { title: withoutHidden(title.slice(0, maxDescriptionChars)) }),
      ...(words.length === 0 ? {} : { description: words.join('\n\n') }),
      inputSchema: { ...schema.schema, type: 'object' },
      annotations: agentHints(entry),
    },
  };
}

/** What counts and what the server says: of each the worse. */
function agentHints({ tool, risk }: ToolEntry): AgentToolDefinition['annotations'] {
  const said = riskOf(tool.annotations);
  const level = worse(risk.level, said.level);
  return {
    readOnlyHint: level === 'readOnly',
    destructiveHint: level === 'destructive',
    idempotentHint: risk.idempotent && said.idempotent,
    openWorldHint: risk.openWorld || said.openWorld,
  };
}

function worse(one: RiskLevel, other: RiskLevel): RiskLevel {
  return riskLevels.indexOf(one) > riskLevels.indexOf(other) ? one : other;
}

/**
 * The name of a tool where those of several servers stand together: `server__tool`, of characters
 * and of a length that every client takes. What had to be changed for that ends with a hash.
 */
export function joinedName(server: string, tool: string): string {
  const plain = `${server}__${tool}`;
  if (plain.length <= maxJoinedChars && /^[\w-]+$/.test(plain) && !server.includes('__')) {
    return plain;
  }
  const hash = createHash('sha256')
    .update(JSON.stringify([server, tool]))
    .digest('hex');
  const room = maxJoinedChars - hashChars - 1;
  const written = plain.replaceAll(/[^\w-]/g, '_').slice(0, room);
  return `${written}_${hash.slice(0, hashChars)}`;
}

/** The name of a tool where those of its server stand alone: its own. */
export function ownName(tool: string): string {
  return withoutHidden(tool);
}

/** Those whose name is theirs alone: what is called must never be a guess. Others have their turn meanwhile. */
export async function withUniqueNames(tools: readonly AgentTool[]): Promise<readonly AgentTool[]> {
  const turns = new WorkTurns();
  const counts = new Map<string, number>();
  for (const { definition } of tools) {
    counts.set(definition.name, (counts.get(definition.name) ?? 0) + 1);
    if (turns.isOver) await turns.giveWay();
  }
  return tools.filter(({ definition: { name } }) => name !== '' && counts.get(name) === 1);
}

/** Another text for every other list of tools. Others have their turn meanwhile. */
export async function digestOfTools(tools: readonly AgentTool[]): Promise<string> {
  const turns = new WorkTurns();
  const hash = createHash('sha256');
  for (const tool of tools) {
    hash.update(`${JSON.stringify(tool)}\n`);
    if (turns.isOver) await turns.giveWay();
  }
  return hash.digest('base64');
}

/** Whether there are arguments with which an agent may ask for the tool, as far as rules can tell. */
export function mayAsk({ serverId, tool, risk }: ToolEntry, rules: readonly Rule[]): boolean {
  const subject = { server: serverId, tool: tool.name, level: risk.level };
  const fitting = rules.filter((rule) => fitsTool(rule, subject) && fitsAsker(rule, 'agent'));
  if (fitting.some(({ effect, when }) => effect === 'deny' && when.length === 0)) return false;
  return risk.level !== 'destructive' || fitting.some((rule) => mayOpenToAgents(rule, subject));
}

/** Whether there are arguments for which a rule allows an agent the tool without a question. */
export function mayBeAllowed({ serverId, tool, risk }: ToolEntry, rules: readonly Rule[]): boolean {
  const subject = { server: serverId, tool: tool.name, level: risk.level };
  return rules.some(
    (rule) => rule.effect === 'allow' && fitsAsker(rule, 'agent') && fitsTool(rule, subject),
  );
}

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
