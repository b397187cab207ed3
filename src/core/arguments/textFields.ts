import { toArguments, type Drafts } from './fieldDrafts';
import type { TextField } from './inputField';

/** Returns the field of a value that is text of any form, as in prompts and templates. */
export function toTextField(name: string, required: boolean): TextField {
  const schema = { type: 'string' };
  return { name, label: name, required, kind: 'string', isNullable: false, limits: {}, schema };
}

/** Returns the texts of the fields that have one, except for `name`. */
export function otherTexts(
  fields: readonly TextField[],
  drafts: Drafts,
  name?: string,
): Readonly<Record<string, string>> {
  const entries = Object.entries(toArguments(fields, drafts)).flatMap(([key, value]) =>
    key !== name && typeof value === 'string' && value !== '' ? [[key, value] as const] : [],
  );
  // Defines own properties, because fields may have any name.
  return Object.fromEntries(entries);
}
