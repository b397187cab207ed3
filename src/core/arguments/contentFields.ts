import { isJsonObject } from '../json/shapes';
import type { JsonObject, JsonValue } from '../json/jsonValue';
import type { FormField } from './inputField';

/** The kinds of content that an editor can provide: its text, or the location of its file. */
export type EditorContentKind = 'text' | 'path' | 'uri';

/** An argument, and what an editor can fill in for it. */
export interface ContentField {
  readonly name: string;
  readonly takes: EditorContentKind;
}

/**
 * Guesses, by `format` and by name, which arguments of a tool take a text or a file: at most one
 * for each kind of material. The user sees the filled-in value and can change it.
 */
export function contentFields(schema: JsonObject): readonly ContentField[] {
  const { properties } = schema;
  if (!isJsonObject(properties)) return [];
  const found = Object.entries(properties).flatMap(([name, property]) => judge(name, property));
  return (['uri', 'path', 'text'] as const).flatMap((kind) => {
    const [best] = found.filter(({ takes }) => takes === kind).toSorted((a, b) => a.rank - b.rank);
    return best === undefined ? [] : [{ name: best.name, takes: kind }];
  });
}

interface Judged extends ContentField {
  readonly rank: number;
}

function judge(name: string, schema: JsonValue): readonly Judged[] {
  if (!isJsonObject(schema) || !isFreeText(schema)) return [];
  const { format } = schema;
  if (format === 'uri' || format === 'uri-reference') return [{ name, takes: 'uri', rank: 0 }];
  // Any other format means a special text, such as a date.
  if (format !== undefined) return [];
  const last = lastWordOf(name);
  const rank = textWords.indexOf(last);
  if (rank >= 0) return [{ name, takes: 'text', rank }];
  if (uriWords.includes(last)) return [{ name, takes: 'uri', rank: 1 }];
  return fileNameWords.includes(last)
    ? [{ name, takes: 'path', rank: fileNameWords.indexOf(last) }]
    : [];
}

function isFreeText({ type, enum: listed, const: only }: JsonObject): boolean {
  const types = Array.isArray(type) ? type : [type];
  return types.includes('string') && listed === undefined && only === undefined;
}

/** `fileName` counts as one word. */
function lastWordOf(name: string): string {
  const words = splitName(name);
  return words.slice(-2).join('') === 'filename' ? 'filename' : (words.at(-1) ?? '');
}

/** Field names for the path of one file, the most certain one first. */
const fileNameWords: readonly string[] = ['path', 'file', 'filename', 'filepath'];

const uriWords: readonly string[] = ['uri'];

const folderWords: readonly string[] = 'path dir directory directories folder cwd root uri'.split(
  ' ',
);

/** Field names for a text, the most certain one first. */
const textWords: readonly string[] =
  'content contents text code source snippet body input markdown html message prompt query'.split(
    ' ',
  );

const maxNameChars = 200;

/** Splits `filePath`, `file_path` and `FILE-PATH` into `file` and `path`. Cuts very long names. */
export function splitName(name: string): readonly string[] {
  return name
    .slice(0, maxNameChars)
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
}

/**
 * Where the text of a field may come from, besides typing. Fields that take an address get a `uri`.
 */
export type FieldSource = 'openFile' | 'file' | 'folder' | 'selection' | 'fileText';

const forUris = withPlurals(uriWords);
const forFiles = withPlurals([...fileNameWords, ...uriWords]);
const forFolders = withPlurals(folderWords);
const forTexts = new Set(textWords);

/** True if the field takes the address of a file instead of its path. */
export function takesUri(field: FormField): boolean {
  const line = field.kind === 'list' ? field.item : field;
  if (line.kind !== 'string') return false;
  const { format } = line.limits;
  if (format !== undefined) return format === 'uri' || format === 'uri-reference';
  return splitName(field.name).some((word) => forUris.has(word));
}

/**
 * Guesses what a field is for by its format and the words of its name. The guess only adds buttons.
 */
export function fieldSources(field: FormField): readonly FieldSource[] {
  const line = field.kind === 'list' ? field.item : field;
  if (line.kind !== 'string' || line.isSecret === true) return [];
  const { format } = line.limits;
  const isUri = takesUri(field);
  // A field with another format, such as a date, is not a file.
  if (format !== undefined && !isUri) return [];
  const words = splitName(field.name);
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
