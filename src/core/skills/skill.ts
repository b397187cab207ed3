import { createHash } from 'node:crypto';
import { isJsonObject, isObject } from '../json/shapes';
import type { JsonObject } from '../json/jsonValue';
import { listEntries } from '../parse/parseResources';
import type { ReadPage } from '../parse/listPages';
import type { ListProblem, ResourceContents } from '../types';

/** A skill of a server: a folder of files that it serves as resources. */
export interface Skill {
  /** URI of its `SKILL.md`, exactly as received. */
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  /** As received. */
  readonly frontmatter: JsonObject;
  /** Its files; `dynamic` if the server does not list them. */
  readonly files: readonly SkillFile[] | 'dynamic';
}

export interface SkillFile {
  readonly uri: string;
  /** `sha256:` and 64 hex digits. */
  readonly digest: string;
  readonly size: number;
}

export interface SkillList {
  readonly skills: readonly Skill[];
  readonly problems: readonly ListProblem[];
}

/** The result of comparing what was read with the entry of its skill. */
export type SkillMismatch = 'unlisted' | 'noContent' | 'size' | 'digest' | 'frontmatter';

const maxTextChars = 64 * 1024;
const maxFiles = 10_000;

/** Reads all pages of `skills/list`. @throws {McpError} as `listPages` does */
export async function listAllSkills(readPage: ReadPage): Promise<SkillList> {
  const { entries, problems } = await listEntries(readPage, parseSkill);
  return { skills: entries, problems };
}

/**
 * A skill with an invalid list of files, or with files outside of its folder, is dropped, because
 * nothing could be verified.
 */
function parseSkill(value: unknown): Skill | undefined {
  if (!isObject(value) || !isText(value.uri)) return undefined;
  const { uri, frontmatter, resources } = value;
  if (!isJsonObject(frontmatter)) return undefined;
  const { name, description } = frontmatter;
  const files = resources === 'dynamic' ? resources : parseFiles(resources, uri);
  if (!isText(name) || !isText(description) || files === undefined) return undefined;
  return { uri, name, description, frontmatter, files };
}

function parseFiles(value: unknown, uri: string): readonly SkillFile[] | undefined {
  if (!Array.isArray(value) || value.length > maxFiles) return undefined;
  const files = value.flatMap((file: unknown): readonly SkillFile[] => {
    if (!isObject(file) || !isText(file.uri) || !isText(file.digest)) return [];
    const { digest, size } = file;
    const isValid = /^sha256:[0-9a-f]{64}$/.test(digest) && Number.isSafeInteger(size);
    if (!isValid || Number(size) < 0 || !isInside(file.uri, uri)) return [];
    return [{ uri: file.uri, digest, size: Number(size) }];
  });
  const isWhole = files.length === value.length && files.some((file) => file.uri === uri);
  return isWhole ? files : undefined;
}

/** True if the file is in the folder of the `SKILL.md`. */
function isInside(file: string, skill: string): boolean {
  const root = skill.slice(0, skill.lastIndexOf('/') + 1);
  const path = file.slice(root.length).replaceAll(/%2e/gi, '.').replaceAll(/%2f|%5c|\\/gi, '/');
  return file.startsWith(root) && !path.split('/').includes('..');
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= maxTextChars;
}

/**
 * Returns the skill whose file this is, if there is one. A file of a dynamic skill is known by its
 * folder.
 */
export function skillOf(skills: readonly Skill[], uri: string): Skill | undefined {
  return skills.find(({ files, uri: own }) =>
    files === 'dynamic' ? isInside(uri, own) : files.some((file) => file.uri === uri),
  );
}

/**
 * Compares what was read with the entry of the skill: size, digest, and for the `SKILL.md` name and
 * description. The files of a dynamic skill have no digests.
 */
export function skillMismatch(
  skill: Skill,
  uri: string,
  contents: readonly ResourceContents[],
): SkillMismatch | undefined {
  const [content] = contents;
  const bytes = content && contents.length === 1 ? bytesOf(content) : undefined;
  if (bytes === undefined) return 'noContent';
  if (skill.files !== 'dynamic') {
    const listed = skill.files.find((file) => file.uri === uri);
    if (listed === undefined) return 'unlisted';
    if (bytes.length !== listed.size) return 'size';
    const digest = createHash('sha256').update(bytes).digest('hex');
    if (`sha256:${digest}` !== listed.digest) return 'digest';
  }
  return uri === skill.uri && !hasFrontmatterOf(skill, bytes) ? 'frontmatter' : undefined;
}

function bytesOf({ text, blob }: ResourceContents): Uint8Array | undefined {
  if (text !== undefined) return typeof text === 'string' ? Buffer.from(text) : text;
  return typeof blob === 'string' ? Buffer.from(blob, 'base64') : blob;
}

/** Frontmatter is short; the rest of a large file is not decoded. */
const maxFrontmatterBytes = 64 * 1024;

/** Compares the fields that every skill has. Values in other forms than one line are not read. */
function hasFrontmatterOf({ name, description }: Skill, bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes.subarray(0, maxFrontmatterBytes)).toString();
  const [, yaml] = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---/.exec(text) ?? [];
  if (yaml === undefined) return false;
  return Object.entries({ name, description }).every(([key, listed]) => {
    const [, written] = new RegExp(`^${key}:[ \\t]+(.*?)[ \\t]*\\r?$`, 'm').exec(yaml) ?? [];
    const value = written === undefined ? undefined : scalar(written);
    return value === undefined || value === listed;
  });
}

/** Returns the value of a scalar on one line; `undefined` for one that goes on below. */
function scalar(written: string): string | undefined {
  if (/^[|>&*!{[]/.test(written)) return undefined;
  if (written.startsWith("'")) return written.slice(1, -1).replaceAll("''", "'");
  if (!written.startsWith('"')) return written.replace(/ #.*$/, '').trim();
  try {
    const value: unknown = JSON.parse(written);
    return typeof value === 'string' ? value : undefined;
  } catch {
    // It has escapes that only YAML has.
    return undefined;
  }
}
