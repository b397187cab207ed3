import type { FormField } from './inputField';
import { fileNameWords, folderWords, textWords, uriWords, wordsOfName } from './nameWords';

/** From where a text may come that is not typed; a `uri` where the field wants an address. */
export type FieldSource = 'openFile' | 'file' | 'folder' | 'selection' | 'fileText';

const forUris = withPlurals(uriWords);
const forFiles = withPlurals([...fileNameWords, ...uriWords]);
const forFolders = withPlurals(folderWords);
const forTexts = new Set(textWords);

/** Whether the field wants the address of a file rather than its path. */
export function wantsUri(field: FormField): boolean {
  const line = field.kind === 'list' ? field.item : field;
  if (line.kind !== 'string') return false;
  const { format } = line.limits;
  if (format !== undefined) return format === 'uri' || format === 'uri-reference';
  return wordsOfName(field.name).some((word) => forUris.has(word));
}

/**
 * What the field looks made for, by its format and the words of its name: a guess, for buttons that
 * a person may press and nothing else.
 */
export function sourcesOf(field: FormField): readonly FieldSource[] {
  const line = field.kind === 'list' ? field.item : field;
  if (line.kind !== 'string' || line.isSecret === true) return [];
  const { format } = line.limits;
  const isUri = wantsUri(field);
  // A date is no file, whatever its name.
  if (format !== undefined && !isUri) return [];
  const words = wordsOfName(field.name);
  const has = (known: ReadonlySet<string>) => words.some((word) => known.has(word));
  const sources: FieldSource[] = [];
  if (isUri || has(forFiles)) sources.push('openFile', 'file');
  if (isUri || has(forFolders)) sources.push('folder');
  if (field.kind !== 'list' && !isUri && sources.length === 0 && has(forTexts)) {
    sources.push('selection', 'fileText');
  }
  return sources;
}

function withPlurals(words: readonly string[]): ReadonlySet<string> {
  return new Set(words.flatMap((word) => [word, `${word}s`]));
}
