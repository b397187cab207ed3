import { inputCommandText } from '../../configuration/inputs';
import { oauthTexts } from '../../configuration/oauthEntry';
import type { ReplayedServer, ServerConfig, WrittenText } from '../../configuration/serverConfig';
import { type ShownText, shownText } from '../../secrets/redactSecrets';
import { isSameJson, sortedEntries } from '../../../core/json/shapes';
import {
  list,
  number,
  oneOf,
  optional,
  shape,
  string,
  type Parser,
} from '../../../core/parse/parsers';

/** Kinds of facts about the start of a server, in the order of display. */
const startParts = [
  'command',
  'argument',
  'folder',
  'file',
  'variable',
  'address',
  'header',
  'signIn',
  'transport',
  'era',
  'input',
  'watch',
  'tool',
  'recording',
] as const;
export type StartPart = (typeof startParts)[number];

/**
 * A value that decides what runs, when, or what is reached. Its value is undefined for a variable
 * that is unset, and for a server that offers no tools.
 */
export interface StartFact extends ShownText {
  readonly part: StartPart;
  /** Name of the variable, header, input or sign-in option. */
  readonly name?: string;
}

/** A fact that was valid before, is valid now, or both. */
export interface StartChange {
  readonly kind: 'removed' | 'added';
  readonly fact: StartFact;
}

/**
 * Returns everything that decides what runs, when, or what is reached, for the user to judge: each
 * argument separately, and values in full, except secrets by their name or by their reference.
 * References to the environment are shown as written. Inputs are shown as written too, because they
 * have not been asked for yet; an editor command that answers one is a fact of its own.
 */
export function startFacts(config: ServerConfig): readonly StartFact[] {
  const { transport, envFile, inputs = [], watch = [], tools } = config;
  if (transport.kind === 'stdio' && transport.recording !== undefined) {
    return recordingFacts(transport.recording);
  }
  const factOf = (
    part: WrittenText['part'],
    value: string | null,
    name?: string | number,
  ): StartFact => ({
    part,
    ...(typeof name === 'string' ? { name } : {}),
    ...(value === null ? {} : shownText(config, part, value, name)),
  });
  const common = [
    ...(transport.era === undefined ? [] : [{ part: 'era', value: transport.era } as const]),
    ...inputs
      .filter(({ kind }) => kind === 'command')
      .map((input) => ({ part: 'input', name: input.id, value: inputCommandText(input) }) as const),
    ...watch.map((value) => ({ part: 'watch', value }) as const),
    ...toolFacts(tools),
  ];
  if (transport.kind !== 'stdio') {
    return [
      factOf('address', transport.url),
      ...sortedEntries(transport.headers).map(([name, value]) => factOf('header', value, name)),
      ...oauthTexts(transport.oauth ?? {}).map(([name, value]) => factOf('signIn', value, name)),
      { part: 'transport', value: transport.kind },
      ...common,
    ];
  }
  return [
    factOf('command', transport.command),
    ...transport.args.map((value, index) => factOf('argument', value, index)),
    ...(transport.cwd === undefined ? [] : [factOf('folder', transport.cwd)]),
    ...(envFile === undefined ? [] : [factOf('file', envFile.path)]),
    ...sortedEntries(transport.env).map(([name, value]) => factOf('variable', value, name)),
    ...common,
  ];
}

/** An entry that lists no tools has one fact without a value. */
function toolFacts(tools: ServerConfig['tools']): readonly StartFact[] {
  if (tools?.length === 0) return [{ part: 'tool' }];
  return (tools ?? []).map((value) => ({ part: 'tool', value }));
}

function recordingFacts({ file, server }: ReplayedServer): readonly StartFact[] {
  return [
    { part: 'recording', value: file },
    { part: 'recording', name: 'server', value: server },
  ];
}

/**
 * Returns the differences in the order of display, old before new. Unchanged arguments at the
 * beginning or at the end are no difference; those between are.
 */
export function startChanges(
  before: readonly StartFact[],
  now: readonly StartFact[],
): readonly StartChange[] {
  return startParts.flatMap((part) => {
    const old = before.filter((fact) => fact.part === part);
    const current = now.filter((fact) => fact.part === part);
    return part === 'variable' || part === 'header' || part === 'signIn'
      ? namedChanges(old, current)
      : listChanges(old, current);
  });
}

function namedChanges(before: readonly StartFact[], now: readonly StartFact[]): StartChange[] {
  const old = new Map(before.map((fact) => [fact.name, fact]));
  const current = new Map(now.map((fact) => [fact.name, fact]));
  return [...new Set([...old.keys(), ...current.keys()])].flatMap((name) =>
    listChanges(only(old.get(name)), only(current.get(name))),
  );
}

function only(fact: StartFact | undefined): StartFact[] {
  return fact === undefined ? [] : [fact];
}

function listChanges(before: readonly StartFact[], now: readonly StartFact[]): StartChange[] {
  const most = Math.min(before.length, now.length);
  let start = 0;
  while (start < most && isSameJson(before[start], now[start])) start += 1;
  let end = 0;
  while (end < most - start && isSameJson(before.at(-1 - end), now.at(-1 - end))) end += 1;
  return [
    ...before.slice(start, before.length - end).map((fact) => ({ kind: 'removed', fact }) as const),
    ...now.slice(start, now.length - end).map((fact) => ({ kind: 'added', fact }) as const),
  ];
}

/**
 * Returns `undefined` for anything but a list of facts. Keeps the members in the order of
 * {@link StartFact}, so that equal facts have equal JSON.
 */
export const parseStartFacts: Parser<readonly StartFact[]> = list(
  shape({
    part: oneOf(...startParts),
    name: optional(string),
    value: optional(string),
    written: optional(string),
    mask: optional(shape({ length: number, digest: string })),
  }),
);
