import { createHash } from 'node:crypto';
import { load, CORE_SCHEMA } from 'js-yaml';
import { isSameJson, isObject, type UnknownObject } from '../json/shapes';
import type { ResourceContents } from '../types';
import { isInSkill, type Skill } from './skill';

/** The result of comparing a file that was read with the entry of its skill. */
export type SkillVerdict =
  | { readonly kind: 'asListed'; readonly isManifest: boolean }
  /** The skill lists no digests; what could be compared is equal. */
  | { readonly kind: 'dynamic' }
  | { readonly kind: 'unlisted' | 'noContent' }
  | { readonly kind: 'size'; readonly listed: number; readonly read: number }
  | { readonly kind: 'digest'; readonly listed: string; readonly read: string }
  /** Without a field: it has no frontmatter that can be read. */
  | { readonly kind: 'frontmatter'; readonly field?: string };

/**
 * Compares what was read at `uri` with each skill that contains it: size, digest, and for the
 * `SKILL.md` the frontmatter. Returns the first difference, or `undefined` if no skill contains it.
 * Skills may be nested: a file is then listed by each of them.
 */
export function verifySkillFile(
  skills: readonly Skill[],
  uri: string,
  contents: readonly ResourceContents[],
): SkillVerdict | undefined {
  const verdicts = skills
    .filter((skill) => isInSkill(uri, skill.uri))
    .toSorted((one, other) => other.uri.length - one.uri.length)
    .map((skill) => verdictOf(skill, uri, contents));
  return verdicts.find(({ kind }) => kind !== 'asListed' && kind !== 'dynamic') ?? verdicts[0];
}

function verdictOf(skill: Skill, uri: string, contents: readonly ResourceContents[]): SkillVerdict {
  const { files, frontmatter } = skill;
  const file = files === 'dynamic' ? undefined : files.find((each) => each.uri === uri);
  if (files !== 'dynamic' && file === undefined) return { kind: 'unlisted' };
  const [content] = contents;
  const bytes = content && contents.length === 1 ? bytesOf(content) : undefined;
  if (bytes === undefined) return { kind: 'noContent' };
  if (file !== undefined) {
    const { size, digest } = file;
    if (bytes.length !== size) return { kind: 'size', listed: size, read: bytes.length };
    const read = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    if (read !== digest) return { kind: 'digest', listed: digest, read };
  }
  const isManifest = uri === skill.uri;
  const difference = isManifest ? frontmatterDifference(frontmatter, bytes) : undefined;
  if (difference !== undefined) return { kind: 'frontmatter', ...difference };
  return file === undefined ? { kind: 'dynamic' } : { kind: 'asListed', isManifest };
}

/** The bytes that the server sent, decoded from Base64. */
function bytesOf({ text, blob }: ResourceContents): Uint8Array | undefined {
  if (text !== undefined) return typeof text === 'string' ? Buffer.from(text) : text;
  return typeof blob === 'string' ? Buffer.from(blob, 'base64') : blob;
}

/** Frontmatter is short; the rest of a large file is not decoded. */
const maxFrontmatterBytes = 64 * 1024;

function frontmatterDifference(
  listed: UnknownObject,
  bytes: Uint8Array,
): { readonly field?: string } | undefined {
  const written = readFrontmatter(Buffer.from(bytes.subarray(0, maxFrontmatterBytes)).toString());
  if (written === undefined) return {};
  const fields = [...new Set([...Object.keys(listed), ...Object.keys(written)])];
  const field = fields.find(
    (each) =>
      !Object.hasOwn(listed, each) ||
      !Object.hasOwn(written, each) ||
      !isSameJson(listed[each], written[each]),
  );
  return field === undefined ? undefined : { field };
}

/**
 * Returns the frontmatter at the start of a `SKILL.md`; `undefined` if there is none that can be
 * read. Aliases are refused, because a few lines of them can make a value of any size.
 */
export function readFrontmatter(text: string): UnknownObject | undefined {
  const [start = ''] = /^\uFEFF?---[ \t]*\r?\n/.exec(text) ?? [];
  const rest = text.slice(start.length);
  const end = /^---[ \t]*\r?$/m.exec(rest);
  if (start === '' || end === null) return undefined;
  try {
    const value = load(rest.slice(0, end.index), { schema: CORE_SCHEMA, maxAliases: 0 });
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
