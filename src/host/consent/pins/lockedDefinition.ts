import { stripComments } from 'jsonc-parser';
import { jsonTextOf } from '../../../core/json/jsonText';
import { jsonOrAbsent } from '../../../core/json/parseJson';
import { isObject } from '../../../core/json/shapes';
import { parseTool } from '../../../core/parse/parseTool';
import type { Tool } from '../../../core/types';
import { toolFingerprint, type Fingerprint } from '../facts/fingerprints';
import { toolFields } from './pinDefinition';

/** Larger ones stand in a lock file by their fingerprint: nobody reviews them there. */
const maxDefinitionChars = 32_768;

/** The members that a definition in a lock file may have; with another one it is none. */
export const definitionMembers: ReadonlySet<string> = new Set(toolFields);

/** A definition that stands in a lock file; it is read when somebody asks for it. */
export class LockedDefinition {
  readonly #name: string;
  readonly #json: string;
  #tool: Tool | undefined;
  #fingerprint: Fingerprint | undefined;

  /** @param json an object with none but {@link definitionMembers} */
  constructor(name: string, json: string) {
    this.#name = name;
    this.#json = json;
  }

  get tool(): Tool {
    return (this.#tool ??= parseTool({ ...objectOf(this.#json), name: this.#name }));
  }

  get fingerprint(): Fingerprint {
    return (this.#fingerprint ??= toolFingerprint(this.tool));
  }
}

/**
 * The definition of a tool as it stands in a lock file, laid out; hidden characters are written as
 * escapes, so that a review sees them. `undefined` for what is too large, and for what is another
 * definition when it is read back.
 */
export function lockedText(tool: Tool): string | undefined {
  const members = toolFields.flatMap((field) => {
    const value = tool[field];
    const isEmpty =
      value === undefined || (field === 'annotations' && Object.keys(value).length === 0);
    return isEmpty ? [] : [[field, value] as const];
  });
  const text = jsonTextOf(Object.fromEntries(members))?.trimEnd();
  if (text === undefined || text.length > maxDefinitionChars) return undefined;
  const json = text.replaceAll(hidden, escapeOf);
  const isSame = new LockedDefinition(tool.name, json).fingerprint === toolFingerprint(tool);
  return isSame ? json : undefined;
}

/** All that is no line break and that a reader would not see. */
const hidden = /(?!\n)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

function escapeOf(sign: string): string {
  return [...Array(sign.length).keys()]
    .map((at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('');
}

function objectOf(json: string): object {
  const value = jsonOrAbsent(json) ?? jsonOrAbsent(stripComments(json));
  // Such as one with trailing commas: no tool that can be called has this definition.
  return isObject(value) ? value : {};
}
