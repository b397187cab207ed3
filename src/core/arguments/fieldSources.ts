import type { FormField } from './inputField';
import { fileNameWords, folderWords, textWords, uriWords, wordsOfName } from './nameWords';

/**
 * Where the text of a field may come from, besides typing. Fields that take an address get a `uri`.
 */
export type FieldSource = 'openFile' | 'file' | 'folder' | 'selection' | 'fileText';

const forUris = withPlurals(uriWords);
const forFiles = withPlurals([...fileNameWords, ...uriWords]);
const forFolders = withPlurals(folderWords);
const forTexts = new Set(textWords);

/** True if the field takes the address of a file instead of its path. */
export function wantsUri(field: FormField): boolean {
  const line = field.kind === 'list' ? field.item : field;
  if (line.kind !== 'string') return false;
  const { format } = line.limits;
  if (format !== undefined) return format === 'uri' || format === 'uri-reference';
  return wordsOfName(field.name).some((word) => forUris.has(word));
}

/**
 * Guesses what a field is for by its format and the words of its name. The guess only adds buttons.
 */
export function sourcesOf(field: FormField): readonly FieldSource[] {
  const line = field.kind === 'list' ? field.item : field;
  if (line.kind !== 'string' || line.isSecret === true) return [];
  const { format } = line.limits;
  const isUri = wantsUri(field);
  // A field with another format, such as a date, is not a file.
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
