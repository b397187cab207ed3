import { parseTool } from '../../../core/parse/parseTool';
import { isObject } from '../../../core/json/shapes';
import type { Tool } from '../../../core/types';
import { isSameJson } from '../../../core/json/sameJson';
import type { ToolField } from '../facts/callFacts';
import { fingerprint, type Fingerprint, toolFingerprint } from '../facts/fingerprints';
import type { ToolEntry } from '../../connections/snapshot';
import { Turns } from './pinTurns';

/** A definition as it was when it was accepted. */
export interface KeptDefinition {
  readonly tool: Tool;
  /** Of what was too large to be kept: of a text `tool` has the beginning, of a schema nothing. */
  readonly cut: Readonly<Partial<Record<ToolField, Fingerprint>>>;
}

/** In the order in which they are shown. */
export const toolFields: readonly ToolField[] = [
  'title',
  'description',
  'inputSchema',
  'outputSchema',
  'annotations',
];

/** Larger definitions are kept in part; nearly all have less than a tenth of it. */
const maxWholeChars = 32_768;
const maxFieldChars = 4_096;

/** One line of JSON, at most about 32 KiB; {@link parseKept} reads it back. */
export function keptText(tool: Tool): string {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  const whole = textOf({ name, title, description, inputSchema, outputSchema, annotations });
  if (whole !== undefined && whole.length <= maxWholeChars) return whole;
  const kept: Record<string, unknown> = { name: name.slice(0, maxFieldChars) };
  const cut: Record<string, Fingerprint> = {};
  for (const field of toolFields) {
    const value = tool[field];
    if (value === undefined) continue;
    const text = textOf(value);
    if (text !== undefined && text.length <= maxFieldChars) {
      kept[field] = value;
      continue;
    }
    cut[field] = fingerprint(value);
    if (typeof value === 'string') kept[field] = value.slice(0, maxFieldChars);
  }
  return JSON.stringify({ ...kept, cut });
}

/** `undefined`: that is no definition. */
export function parseKept(text: string): KeptDefinition | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value) || typeof value.name !== 'string') return undefined;
  const noted = isObject(value.cut) ? value.cut : {};
  const cut: Partial<Record<ToolField, Fingerprint>> = {};
  for (const field of toolFields) {
    const digest = noted[field];
    if (typeof digest === 'string') cut[field] = digest;
  }
  return { tool: parseTool(value), cut };
}

/** In what a tool differs from what was kept; not empty if the fingerprints differ. */
export function changedFields({ tool: before, cut }: KeptDefinition, now: Tool): ToolField[] {
  return toolFields.filter((field) => {
    const digest = cut[field];
    return digest === undefined
      ? !isSameJson(before[field], now[field])
      : digest !== fingerprint(now[field]);
  });
}

/** `undefined` for what is nested too deeply to be written. */
function textOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** What every definition that is nested too deeply to be written has in common. */
const unwritable = fingerprint(undefined);

/** The fingerprints of tools; each is made once, because tools that do not change stay the same object. */
export class ToolFingerprints {
  readonly #known = new WeakMap<Tool, Fingerprint>();

  /** Made at once where it is not known yet. */
  of(tool: Tool): Fingerprint {
    let known = this.#known.get(tool);
    if (known === undefined) this.#known.set(tool, (known = toolFingerprint(tool)));
    return known;
  }

  /** Makes those of a long list in slices, so that {@link of} has them at hand. */
  async prepare(entries: readonly ToolEntry[]): Promise<void> {
    const turns = new Turns();
    for (const { tool } of entries) {
      if (turns.isOver) await turns.next();
      this.of(tool);
    }
  }
}

/**
 * Whether the fingerprint tells the definition from others. One that cannot be written as JSON has
 * the same as every other such definition, so nothing may be concluded from it.
 */
export function tellsApart(value: Fingerprint): boolean {
  return value !== unwritable;
}
