import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { clients, type ClientName, type ListedTool, type Program, type Session } from './clients';
import { endLeftovers, markOf } from './leftovers';

/** What one client saw of one server. */
export interface Look {
  readonly client: ClientName;
  /** Why it did not come so far; absent where everything went well. */
  readonly error?: string;
  readonly started: boolean;
  readonly tools?: number;
  /** Listed, and not to be called. */
  readonly unusable?: number;
  readonly call?: CallLook;
  /** Until the tools were there, in milliseconds. */
  readonly ms?: number;
  /** Processes that went on; `undefined` where the system does not tell. */
  readonly leftOver?: number | undefined;
}

export interface CallLook {
  readonly tool: string;
  readonly outcome: 'result' | 'tool error' | 'refused' | 'no answer';
}

/** A tool and arguments that change nothing, whatever the server does with them. */
export interface SafeCall {
  readonly tool: string;
  readonly isValid: boolean;
}

/** Longer than the time limits of the clients, for what they have none for. */
const maxMs = 120_000;
const noSuchTool = 'toolgate_no_such_tool';

/** Starts, lists, calls, stops, and looks for what is left. Never rejects. */
export async function lookAt(
  client: ClientName,
  program: Omit<Program, 'cwd'>,
  parent: string,
  wanted: SafeCall | undefined,
): Promise<{ look: Look; tools: readonly ListedTool[] }> {
  const run = randomUUID();
  const cwd = path.join(parent, run);
  mkdirSync(cwd);
  const args = program.args.map((arg) => arg.replaceAll('${folder}', cwd));
  // A server that writes into the home of its user writes there.
  const env = { ...program.env, HOME: cwd, USERPROFILE: cwd, ...markOf(run) };
  let tools: readonly ListedTool[] = [];
  let look: Look = { client, started: false };
  let session: Session | undefined;
  try {
    const startedAt = performance.now();
    session = await inTime(clients[client]({ ...program, args, env, cwd }));
    look = { ...look, started: true };
    tools = await inTime(session.tools());
    const unusable = tools.filter(({ callable }) => callable === false).length;
    const ms = Math.round(performance.now() - startedAt);
    look = { ...look, tools: tools.length, unusable, ms };
    const call = wanted ?? safeCall(tools);
    look = { ...look, call: await callOnce(session, call) };
  } catch (error) {
    look = { ...look, error: reasonOf(error) };
  }
  await inTime(session?.close() ?? Promise.resolve()).catch(() => undefined);
  return { look: { ...look, leftOver: await endLeftovers(run) }, tools };
}

/**
 * What may be called: a tool that only reads, by its own word, and needs no arguments. Else a call
 * that must be refused: of a reading tool without what it requires, or of no tool at all.
 */
export function safeCall(tools: readonly ListedTool[]): SafeCall {
  const reading = tools.filter(
    ({ annotations, callable }) => annotations?.readOnlyHint === true && callable !== false,
  );
  const free = reading.find((tool) => requiredOf(tool).length === 0);
  if (free !== undefined) return { tool: free.name, isValid: true };
  const needing = reading.find((tool) => requiredOf(tool).length > 0);
  return { tool: needing?.name ?? noSuchTool, isValid: false };
}

function requiredOf({ inputSchema }: ListedTool): readonly unknown[] {
  const required: unknown = Object(inputSchema).required;
  return Array.isArray(required) ? required : [];
}

async function callOnce(session: Session, { tool }: SafeCall): Promise<CallLook> {
  try {
    const { isError } = await inTime(session.call(tool, {}));
    return { tool, outcome: isError === true ? 'tool error' : 'result' };
  } catch (error) {
    const isSilent = /timed out|timeout$|connection ?closed|nothing within/i.test(reasonOf(error));
    return { tool, outcome: isSilent ? 'no answer' : 'refused' };
  }
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing within ${maxMs} ms`)), maxMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
