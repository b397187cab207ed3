import { isJsonObject, isContainer } from '../../../core/json/shapes';
import type { JsonObject, JsonValue } from '../../../core/json/jsonValue';
import { toPointerStep } from '../../../core/json/jsonPointer';
import type { RiskLevel } from '../../../core/risk';

/** The scope of a proposed rule. */
export type ProposalKind = 'arguments' | 'places' | 'tool';

/** A rule that allows a call and similar ones. It has not been matched with the call yet. */
export interface RuleProposal {
  readonly kind: ProposalKind;
  /** The rule as written in the settings. */
  readonly rule: JsonObject;
  /** For `places`: the folders that contain the paths; undefined for those of the workspace. */
  readonly folders?: readonly string[];
  readonly isInWorkspace?: true;
  /** For `places`. */
  readonly hosts?: readonly string[];
}

/** The parts of a call that proposals depend on. */
export interface ProposalSubject {
  readonly server: string;
  readonly tool: string;
  readonly level: RiskLevel;
  /** Without secrets. */
  readonly arguments: JsonObject;
  /** True if a secret is missing in `arguments`, so that they cannot be written as a whole. */
  readonly hasSecrets: boolean;
  /** True if other arguments may be allowed as well. */
  readonly isBroad: boolean;
}

/** A rule with more texts would be unreadable. */
const maxTexts = 50;

/**
 * Returns the rules that the user may want after this call, narrowest first: exactly these
 * arguments; wherever its paths and hosts are; the tool. Each has to be matched with the call
 * before it is offered. No rule can be about names that contain wildcards.
 */
export function proposeRules(subject: ProposalSubject): readonly RuleProposal[] {
  const { server, tool, arguments: given, hasSecrets, isBroad } = subject;
  if ([server, tool].some((name) => name === '' || /[*?]/.test(name))) return [];
  const about = { effect: 'allow', server, tool };
  const exact: RuleProposal = {
    kind: 'arguments',
    rule: { ...about, when: { '': { equals: given } } },
  };
  const proposals = hasSecrets ? [] : [exact];
  if (!isBroad) return proposals;
  const safe = { ...about, ...riskOf(subject.level) };
  const texts = textsIn(given);
  return [
    ...proposals,
    ...(texts === undefined ? [] : placeProposals(safe, texts)),
    { kind: 'tool', rule: safe },
  ];
}

/** A tool that becomes riskier is asked about again. */
function riskOf(level: RiskLevel): JsonObject {
  if (level === 'destructive') return {};
  return { risk: level === 'readOnly' ? 'readOnly' : ['readOnly', 'additive'] };
}

/**
 * Limits the rule to the workspace if it contains all paths, otherwise to the folders of the paths.
 */
function placeProposals(about: JsonObject, texts: TextPlaces): readonly RuleProposal[] {
  const hosts = new Map<string, readonly string[]>();
  const paths = new Map<string, readonly string[]>();
  for (const [pointer, all] of texts) {
    const found = all.map(hostOf);
    if (found.every((host) => host !== undefined)) hosts.set(pointer, [...new Set(found)]);
    else if (all.every((text) => isPath(text, pointer))) paths.set(pointer, all);
    // Some texts are of unknown kind, so nothing is known about where they lead.
    else if (found.some((host) => host !== undefined)) return [];
  }
  if (hosts.size + paths.size === 0) return [];
  const onHosts = conditions(hosts, (names) => ({ hostIn: [...names] }));
  const shared = { kind: 'places' as const, ...(hosts.size > 0 && { hosts: distinct(hosts) }) };
  if (paths.size === 0) return [{ ...shared, rule: { ...about, when: onHosts } }];
  const inside = conditions(paths, () => ({ insideWorkspace: true }));
  const inWorkspace: RuleProposal = {
    ...shared,
    isInWorkspace: true,
    rule: { ...about, when: { ...inside, ...onHosts } },
  };
  const folders = new Map<string, readonly string[]>();
  for (const [pointer, all] of paths) {
    const folder = folderOf(all);
    if (folder === undefined) return [inWorkspace];
    folders.set(pointer, [folder]);
  }
  const below = conditions(folders, ([folder = '']) => ({ startsWith: folder }));
  const rule = { ...about, when: { ...below, ...onHosts } };
  return [inWorkspace, { ...shared, folders: distinct(folders), rule }];
}

function conditions(
  places: TextPlaces,
  toCondition: (texts: readonly string[]) => JsonObject,
): JsonObject {
  return Object.fromEntries(
    [...places].map(([pointer, texts]) => [pointer, toCondition(texts)] as const),
  );
}

function distinct(places: TextPlaces): readonly string[] {
  return [...new Set([...places.values()].flat())];
}

/** Texts by the pointer that finds them in the arguments; the texts of a list together. */
type TextPlaces = ReadonlyMap<string, readonly string[]>;

/** Returns `undefined` if there are too many, or if a name would act as a wildcard of a pointer. */
function textsIn(root: JsonObject): TextPlaces | undefined {
  const places = new Map<string, string[]>();
  let count = 0;
  const collect = (value: JsonValue, pointer: string): boolean => {
    if (typeof value === 'string') {
      places.set(pointer, [...(places.get(pointer) ?? []), value]);
      return (count += 1) <= maxTexts;
    }
    if (Array.isArray(value)) {
      const isFlat = value.every((each) => !isContainer(each));
      return value.every((each) => collect(each, isFlat ? pointer : `${pointer}/*`));
    }
    if (!isJsonObject(value)) return true;
    return Object.entries(value).every(
      ([name, each]) => name !== '*' && collect(each, pointer + toPointerStep(name)),
    );
  };
  return collect(root, '') ? places : undefined;
}

function hostOf(text: string): string | undefined {
  if (!/^(?:https?|wss?):\/\//i.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text).host;
}

const pathNames = /(?:path|file|filename|dir|directory|folder|source|destination|root|cwd)s?$/i;

/** Returns true if the text looks like a path, or is where one is expected. */
function isPath(text: string, pointer: string): boolean {
  if (/^(?:\.{0,2}[\\/]|[a-z]:[\\/]|file:\/\/\/)/i.test(text)) return true;
  return pathNames.test(pointer.replace(/\/\*$/, '')) && text !== '';
}

/** Returns the innermost folder that contains all paths as written, with its separator. */
function folderOf(paths: readonly string[]): string | undefined {
  const [first = ''] = paths;
  if (!/^(?:\/[^/]|[a-z]:[\\/])/i.test(first)) return undefined;
  let folder = first.slice(0, endOfFolder(first));
  while (folder !== '' && !paths.every((path) => path.startsWith(folder))) {
    folder = folder.slice(0, endOfFolder(folder.slice(0, -1)));
  }
  // The folder of all users or the root of a disk is too wide to be meant.
  const climbs = /[\\/]\.{1,2}[\\/]/.test(folder);
  const isWide = /^(?:\/[^/]*\/?|[a-z]:[\\/](?:[^\\/]*[\\/])?)?$/i.test(folder);
  return isWide || climbs ? undefined : folder;
}

function endOfFolder(path: string): number {
  return Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1;
}
