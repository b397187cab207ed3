import { isJsonObject, isObject } from '../json/shapes';
import type { JsonObject } from '../json/jsonValue';
import { listEntries, parseResource } from '../parse/promptsAndResources';
import type { ReadPage } from '../parse/listPages';
import type { ListProblem, ResourceList, SkillFault } from '../types';

/** A skill of a server: a folder of files that it serves as resources. Spec: SEP-2640 */
export interface Skill {
  /** URI of its `SKILL.md`, exactly as received. Identifies the skill within its server. */
  readonly uri: string;
  /** Is not unique. */
  readonly name: string;
  readonly description: string;
  /** Is kept as received. */
  readonly frontmatter: JsonObject;
  /** All of its files; `dynamic` if the server cannot list them. */
  readonly files: readonly SkillFile[] | 'dynamic';
}

export interface SkillFile {
  readonly uri: string;
  /** `sha256:` and 64 hex digits. */
  readonly digest: string;
  /** In bytes. */
  readonly size: number;
}

export interface SkillList {
  readonly skills: readonly Skill[];
  readonly problems: readonly ListProblem[];
}

/** Every host accepts skills up to these limits, and servers should not exceed them. */
export const skillLimits = { files: 512, bytes: 16 * 1024 * 1024 };

const maxTextChars = 64 * 1024;
/** A skill with more is dropped, because nothing could show or verify it in time. */
const maxFiles = 2_000;
/** Further faults are counted only. */
const maxFaults = 20;
const manifest = '/SKILL.md';

/** Reads all pages of `skills/list`. @throws {McpError} as `listPages` does */
export async function listAllSkills(readPage: ReadPage): Promise<SkillList> {
  const faults: ListProblem[] = [];
  const tell = (uri: unknown, fault: SkillFault): undefined => {
    const about = typeof uri === 'string' ? uri.slice(0, maxTextChars) : '';
    if (faults.length < maxFaults) faults.push({ code: 'unusableSkill', uri: about, fault });
  };
  const { entries, problems } = await listEntries(readPage, (value) => {
    const skill = parseSkill(value);
    return typeof skill === 'string' ? tell(isObject(value) && value.uri, skill) : skill;
  });
  const uris = new Map<string, number>();
  for (const { uri } of entries) uris.set(uri, (uris.get(uri) ?? 0) + 1);
  // Neither of two entries for one URI can be preferred.
  const skills = entries.filter(({ uri }) => uris.get(uri) === 1);
  for (const [uri, count] of uris) if (count > 1) tell(uri, 'repeated');
  const others = problems.filter(
    ({ code }) => code !== 'unusableEntries' || faults.length === maxFaults,
  );
  return { skills, problems: [...others, ...faults] };
}

/**
 * Reads all pages of `resources/directory/read`: files and folders directly in a folder, whose URI
 * has no slash at its end. Others are dropped. @throws {McpError} as `listPages` does
 */
export async function listSkillFolder(folder: string, readPage: ReadPage): Promise<ResourceList> {
  const { entries, problems } = await listEntries(readPage, (value) => {
    const child = parseResource(value);
    const isChild = child !== undefined && isInFolder(child.uri, `${folder}/`, 1);
    return isChild ? child : undefined;
  });
  return { resources: entries, problems };
}

/** Returns why the value is no entry of a skill if nothing of it could be verified. */
export function parseSkill(value: unknown): Skill | SkillFault {
  if (!isObject(value) || !isText(value.uri) || !value.uri.endsWith(manifest)) return 'uri';
  const { uri, frontmatter, resources } = value;
  if (!isJsonObject(frontmatter)) return 'frontmatter';
  const { name, description } = frontmatter;
  if (!isText(name) || !isText(description)) return 'frontmatter';
  const folder = segmentsOf(uri.slice(0, -manifest.length));
  if (folder?.at(-1) !== name) return 'name';
  const files = resources === 'dynamic' ? resources : parseFiles(resources, uri);
  return typeof files === 'object' || files === 'dynamic'
    ? { uri, name, description, frontmatter, files }
    : files;
}

function parseFiles(value: unknown, skill: string): readonly SkillFile[] | SkillFault {
  if (!Array.isArray(value) || value.length > maxFiles) return 'files';
  const files = new Map<string, SkillFile>();
  for (const file of value as readonly unknown[]) {
    if (!isObject(file) || !isText(file.uri) || typeof file.digest !== 'string') return 'files';
    const { uri, digest, size } = file;
    const isValid = /^sha256:[0-9a-f]{64}$/.test(digest) && typeof size === 'number';
    if (!isValid || !Number.isSafeInteger(size) || size < 0) return 'files';
    if (!isInSkill(uri, skill)) return 'outside';
    files.set(uri, { uri, digest, size });
  }
  // Every file is listed once, and `SKILL.md` is one of them.
  return files.size === value.length && files.has(skill) ? [...files.values()] : 'files';
}

/** True if a file is in the folder of a `SKILL.md`, or below it. */
export function isInSkill(file: string, skill: string): boolean {
  return isInFolder(file, skill.slice(0, -manifest.length + 1));
}

/** True for a URI below `folder`, which ends with a slash, by at most this many segments. */
function isInFolder(uri: string, folder: string, levels = Infinity): boolean {
  const segments = uri.startsWith(folder) ? segmentsOf(uri.slice(folder.length)) : undefined;
  if (segments === undefined || segments.length > levels) return false;
  return segments.every((each) => each !== '' && !/^\.{1,2}$|[/\\\0]/.test(each));
}

/** Returns the decoded segments of a path; `undefined` for a query, a fragment or bad escapes. */
function segmentsOf(path: string): readonly string[] | undefined {
  if (/[?#]/.test(path)) return undefined;
  try {
    return path.split('/').map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= maxTextChars;
}

/** Returns the bytes of all files of a skill together; 0 if it lists none. */
export function sizeOfSkill({ files }: Skill): number {
  return files === 'dynamic' ? 0 : files.reduce((sum, { size }) => sum + size, 0);
}

/** True if a skill exceeds what every host accepts. */
export function isOverLimits(skill: Skill): boolean {
  const { files } = skill;
  if (files === 'dynamic') return false;
  return files.length > skillLimits.files || sizeOfSkill(skill) > skillLimits.bytes;
}
