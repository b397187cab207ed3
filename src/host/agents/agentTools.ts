import { createHash, randomUUID } from 'node:crypto';
import { WorkTurns } from '../../core/bounds/workTurns';
import type { JsonObject } from '../../core/json/jsonValue';
import { riskOf, riskLevels, type RiskLevel } from '../../core/risk';
import { toolProblems } from '../../core/toolProblems';
import type { ToolEntry } from '../connections/snapshot';
import { fitsRequester, fitsTool, mayOpenToAgents } from '../consent/rules/matchRules';
import type { Rule } from '../consent/rules/rule';
import { cleanedSchema, removeInvisible } from './agentTexts';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { isObject } from '../../core/json/shapes';

/** A tool as presented to agents. */
export interface AgentTool {
  /** Id of the server in the configuration. */
  readonly server: string;
  /** The tool's name at its server. */
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
/** Most clients accept no longer tool names. */
const maxJoinedChars = 64;
const hashChars = 8;

/**
 * Describes the tool to agents as `name`, with its effective risk but never a lower one than the
 * server declares, and without invisible characters, which the description mentions. The output
 * schema is left out, because clients discard results that do not match it.
 */
export function toAgentTool(entry: ToolEntry, name: string, isOwnName = true): AgentTool {
  const { tool, serverId } = entry;
  const { title, description, inputSchema } = tool;
  const schema = cleanedSchema(inputSchema);
  const hides =
    schema.isCleaned || toolProblems(tool).some(({ code }) => code === 'hiddenCharacters');
  const words = [
    // Bounded first, so that cleaning has limited work.
    ...(description === undefined
      ? []
      : [removeInvisible(description.slice(0, maxDescriptionChars))]),
    ...(isOwnName
      ? []
      : [`(Its name at the server is ${JSON.stringify(removeInvisible(tool.name))}.)`]),
    ...(hides ? ['(Toolgate has taken hidden characters out of what the server says here.)'] : []),
  ];
  return {
    server: serverId,
    tool: tool.name,
    definition: {
      name,
      ...(title === undefined
        ? {}
        : { title: removeInvisible(title.slice(0, maxDescriptionChars)) }),
      ...(words.length === 0 ? {} : { description: words.join('\n\n') }),
      inputSchema: { ...schema.schema, type: 'object' },
      annotations: agentHints(entry),
    },
  };
}

/** Returns the riskier value of each hint: the effective one or the server's. */
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
 * Returns the name of a tool in a list of several servers: `server__tool`, in characters and a
 * length that every client accepts. A changed name ends with a hash.
 */
export function qualifiedToolName(server: string, tool: string): string {
  const plain = `${server}__${tool}`;
  return isUsualName(plain) && !server.includes('__') ? plain : hashedName(plain, [server, tool]);
}

/**
 * Returns the name of a tool in the list of its own server: its own name if every client accepts
 * it, otherwise a changed one that ends with a hash.
 */
export function unqualifiedToolName(server: string, tool: string): string {
  return isUsualName(tool) ? tool : hashedName(tool, [server, tool]);
}

/** Clients of several vendors accept only these names: `^[a-zA-Z0-9_-]{1,64}$`. */
function isUsualName(name: string): boolean {
  return name.length <= maxJoinedChars && /^[\w-]+$/.test(name);
}

function hashedName(plain: string, key: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(key)).digest('hex');
  const room = maxJoinedChars - hashChars - 1;
  const written = plain.replaceAll(/[^\w-]/g, '_').slice(0, room);
  return `${written}_${hash.slice(0, hashChars)}`;
}

/**
 * Returns the tools whose name is unique, because a call must never be ambiguous. A tool that has
 * its own name keeps it, and only those with the same changed name are left out. Yields to the
 * event loop.
 */
export async function withUniqueNames(tools: readonly AgentTool[]): Promise<readonly AgentTool[]> {
  const turns = new WorkTurns();
  const counts = new Map<string, number>();
  for (const { definition } of tools) {
    counts.set(definition.name, (counts.get(definition.name) ?? 0) + 1);
    if (turns.isOver) await turns.giveWay();
  }
  const named = new Set<string>();
  return tools.filter(({ server, tool, definition: { name } }) => {
    if (counts.get(name) === 1) return name !== '';
    if (name === '' || named.has(name)) return false;
    return (name === tool || name === `${server}__${tool}`) && named.add(name).has(name);
  });
}

/** Returns a digest of a list of tools. Yields to the event loop. */
export async function toolsDigest(tools: readonly AgentTool[]): Promise<string> {
  const turns = new WorkTurns();
  const hash = createHash('sha256');
  for (const tool of tools) {
    hash.update(`${JSON.stringify(tool)}\n`);
    if (turns.isOver) await turns.giveWay();
  }
  return hash.digest('base64');
}

/**
 * Returns true if the rules let agents request the tool with at least some arguments, and its server
 * does not keep it for an app.
 */
export function canAgentRequest(
  { serverId, tool, risk }: ToolEntry,
  rules: readonly Rule[],
): boolean {
  if (tool.app?.isForAppOnly === true) return false;
  const subject = { server: serverId, tool: tool.name, level: risk.level };
  const fitting = rules.filter((rule) => fitsTool(rule, subject) && fitsRequester(rule, 'agent'));
  if (fitting.some(({ effect, when }) => effect === 'deny' && when.length === 0)) return false;
  return risk.level !== 'destructive' || fitting.some((rule) => mayOpenToAgents(rule, subject));
}

/**
 * Returns true if a rule allows the tool to agents without a question for at least some arguments.
 */
export function mayBeAllowed({ serverId, tool, risk }: ToolEntry, rules: readonly Rule[]): boolean {
  const subject = { server: serverId, tool: tool.name, level: risk.level };
  return rules.some(
    (rule) => rule.effect === 'allow' && fitsRequester(rule, 'agent') && fitsTool(rule, subject),
  );
}

/** Time after which the answer has certainly passed the SDK. */
const answerMs = 60_000;

/**
 * Serializes each list of tools once and sends it as bytes, however often agents request it. A list
 * may have 20,000 tools. The SDK handles one placeholder tool, whose name identifies the list.
 */
export class ToolListTexts {
  readonly #marks = new WeakMap<readonly AgentTool[], Promise<AgentToolDefinition>>();
  readonly #texts = new Map<string, WeakRef<Buffer>>();
  /** Keeps each text as long as its list exists. */
  readonly #kept = new WeakMap<readonly AgentTool[], Buffer>();

  /** Returns the placeholder tool for `tools`, the same for the same list. */
  markOf(tools: readonly AgentTool[]): Promise<AgentToolDefinition> {
    let mark = this.#marks.get(tools);
    if (mark === undefined) this.#marks.set(tools, (mark = this.#make(tools)));
    // Keeps the list alive until the answer has passed through the SDK.
    setTimeout(() => this.#marks.has(tools), answerMs).unref();
    return mark;
  }

  /**
   * Returns the serialized answer if the message holds a placeholder, in pieces that must not be
   * changed; otherwise `undefined`.
   */
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
