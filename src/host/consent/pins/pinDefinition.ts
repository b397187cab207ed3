import { parseTool } from '../../../core/parse/parseTool';
import { isObject, isSameJson } from '../../../core/json/shapes';
import type { Tool } from '../../../core/types';
import type { ToolField } from '../facts/callFacts';
import { fingerprint, type Fingerprint, toolFingerprint } from '../facts/fingerprints';
import type { ToolEntry } from '../../connections/snapshot';
import { WorkTurns } from '../../../core/bounds/workTurns';
import { parseJson } from '../../../core/json/parseJson';
import { stringifyExactly } from '../../../core/json/writtenNumber';

/** A definition as accepted. */
export interface AcceptedDefinition {
  readonly tool: Tool;
  /**
   * Fingerprints of fields that were too large to store. `tool` contains the beginning of such a
   * text, and nothing of such a schema.
   */
  readonly cut: Readonly<Partial<Record<ToolField, Fingerprint>>>;
}

/** In the order of display. */
export const toolFields: readonly ToolField[] = [
  'title',
  'description',
  'inputSchema',
  'outputSchema',
  'annotations',
];

/** Larger definitions are stored in part. Nearly all have less than a tenth of it. */
const maxWholeChars = 32_768;
const maxFieldChars = 4_096;

/** Returns one line of JSON of at most about 32 KiB, for {@link parseAcceptedDefinition}. */
export function acceptedDefinitionText(tool: Tool): string {
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
  return stringifyExactly({ ...kept, cut });
}

/** Returns `undefined` for a text that is no definition. */
export function parseAcceptedDefinition(text: string): AcceptedDefinition | undefined {
  const value = definitionOf(text);
  if (!isObject(value) || typeof value.name !== 'string') return undefined;
  const noted = isObject(value.cut) ? value.cut : {};
  const cut: Partial<Record<ToolField, Fingerprint>> = {};
  for (const field of toolFields) {
    const digest = noted[field];
    if (typeof digest === 'string') cut[field] = digest;
  }
  return { tool: parseTool(value), cut };
}

function definitionOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns the fields in which a tool differs from the stored definition; not empty if the
 * fingerprints differ.
 */
export function changedFields({ tool: before, cut }: AcceptedDefinition, now: Tool): ToolField[] {
  return toolFields.filter((field) => {
    const digest = cut[field];
    return digest === undefined
      ? !isSameJson(before[field], now[field])
      : digest !== fingerprint(now[field]);
  });
}

/** Returns `undefined` for a value that is nested too deeply. */
function textOf(value: unknown): string | undefined {
  try {
    return stringifyExactly(value);
  } catch {
    return undefined;
  }
}

/** The shared fingerprint of all definitions that are nested too deeply. */
const unwritable = fingerprint(undefined);

/** Caches the fingerprints of tools by object, because unchanged tools stay the same object. */
export class ToolFingerprints {
  readonly #known = new WeakMap<Tool, Fingerprint>();

  /** Computes the fingerprint if it is not known yet. */
  of(tool: Tool): Fingerprint {
    let known = this.#known.get(tool);
    if (known === undefined) this.#known.set(tool, (known = toolFingerprint(tool)));
    return known;
  }

  /** Computes the fingerprints of a long list in slices, so that {@link of} is fast. */
  async prepare(entries: readonly ToolEntry[]): Promise<void> {
    const turns = new WorkTurns();
    for (const { tool } of entries) {
      if (turns.isOver) await turns.giveWay();
      this.of(tool);
    }
  }
}

/**
 * Returns true if the fingerprint is distinct. All definitions that cannot be serialized share one,
 * so nothing may be concluded from it.
 */
export function isDistinctFingerprint(value: Fingerprint): boolean {
  return value !== unwritable;
}
