import * as jsonc from 'jsonc-parser';
import { jsoncValue } from '../../core/json/parseJson';
import { isObject, type UnknownObject } from '../../core/json/shapes';
import { stringifyExactly } from '../../core/json/writtenNumber';
import type { ConfigFormat } from '../configuration/configurationFormats';
import { inputPattern } from '../configuration/inputs';
import { jsonTree } from '../configuration/jsonTree';
import { editorNames, shellPattern } from '../configuration/variables';
import type { DraftEntry } from './draft';
import { type FoundSecret, findDraftSecrets, secretKey } from './draftSecrets';

/** A place that an entry is written for. */
export interface MoveTarget {
  readonly format: ConfigFormat;
  /** Copilot's own file needs `type` and `tools` in each entry. */
  readonly isCopilot?: boolean;
}

export interface ConversionOptions {
  readonly server: string;
  readonly from: ConfigFormat;
  readonly to: MoveTarget;
  /** Returns true if the environment has no variable of this name, and no file uses it. */
  readonly isFree: (name: string) => boolean;
  /** Literal values to replace. Defaults to all that look like secrets. */
  readonly secrets?: readonly FoundSecret[];
}

/** An entry as text, converted for another place. */
export interface MovedEntry {
  readonly text: string;
  /** Names of the environment variables that replace inputs and secrets. */
  readonly variables: readonly string[];
  /** Ids of the inputs that the text still refers to. */
  readonly inputs: readonly string[];
  /** References that the other format cannot express. The entry must not be written then. */
  readonly impossible: readonly string[];
  readonly losesComments: boolean;
  /** Variables that lose their default, because VS Code's format has none. */
  readonly lostDefaults: readonly string[];
}

/** Names have no limit of their own. */
const maxVariableChars = 60;

/** Returns true if the environment has no variable of this name, and none of the texts refers to one. */
export function isUnusedVariable(
  name: string,
  env: Readonly<Record<string, string | undefined>>,
  texts: readonly string[],
): boolean {
  const reference = new RegExp(`\\$\\{(?:env:)?${name}\\b`);
  return env[name] === undefined && !texts.some((text) => reference.test(text));
}

function variableText(words: string): string {
  return words.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');
}

/** Returns the name of an unused variable that says whose value it holds. */
export function freeVariable(words: string, isFree: (name: string) => boolean): string {
  const plain =
    variableText(words)
      .replaceAll(/^[_0-9]+|_+$/g, '')
      .slice(0, maxVariableChars) || 'SECRET';
  if (isFree(plain)) return plain;
  let count = 2;
  while (!isFree(`${plain}_${count}`)) count += 1;
  return `${plain}_${count}`;
}

/**
 * Converts the text of a valid entry for another place. Literal secrets become
 * environment variables, and so do inputs if the place has none; their values are in no result. Comments are
 * left out for `mcpServers`, because many clients read only strict JSON there.
 */
export function moveEntry(text: string, options: ConversionOptions): MovedEntry {
  const isShared = options.to.format === 'mcpServers';
  const plain = isShared ? strictText(text) : text;
  const conversion = new Conversion(options, options.secrets ?? secretsIn(plain));
  const moved = conversion.of(plain);
  return {
    text: moved,
    variables: conversion.variables,
    inputs: isShared ? [] : [...moved.matchAll(inputPattern)].map(([, id = '']) => id),
    impossible: conversion.impossible,
    losesComments: plain !== text && jsonc.stripComments(text) !== text,
    lostDefaults: conversion.lostDefaults,
  };
}

function strictText(text: string): string {
  try {
    JSON.parse(text);
    return text;
  } catch {
    const { root } = jsonTree(text);
    return root === undefined ? text : stringifyExactly(jsoncValue(root, text), 2);
  }
}

function secretsIn(text: string): readonly FoundSecret[] {
  const value: unknown = jsonc.parse(text);
  const { args, env, headers, url } = isObject(value) ? value : {};
  const entry: DraftEntry = {
    ...(Array.isArray(args) ? { args: args.map(String) } : {}),
    ...(isObject(env) ? { env: textsOf(env) } : {}),
    ...(isObject(headers) ? { headers: textsOf(headers) } : {}),
    ...(typeof url === 'string' ? { url } : {}),
  };
  return findDraftSecrets({ entry, inputs: [], notes: [] });
}

function textsOf(record: UnknownObject): Record<string, string> {
  const texts = Object.entries(record).filter(([, text]) => typeof text === 'string');
  return Object.fromEntries(texts.map(([name, text]) => [name, String(text)]));
}

class Conversion {
  readonly #options: ConversionOptions;
  readonly #secrets: readonly FoundSecret[];
  /** The variable of each input and of each secret, by its key. */
  readonly #variables = new Map<string, string>();
  readonly impossible: string[] = [];
  readonly lostDefaults: string[] = [];

  constructor(options: ConversionOptions, secrets: readonly FoundSecret[]) {
    this.#options = options;
    this.#secrets = secrets;
  }

  get variables(): readonly string[] {
    return [...this.#variables.values()];
  }

  of(text: string): string {
    const { root } = jsonTree(text);
    if (root === undefined) return text;
    const edits: jsonc.Edit[] = [];
    const visit = (node: jsonc.Node): void => {
      const isKey = node.parent?.type === 'property' && node.parent.children?.[0] === node;
      if (node.type === 'string' && !isKey) {
        const value = String(node.value);
        const now = this.#convert(value, jsonc.getNodePath(node));
        const { offset, length } = node;
        if (now !== value) edits.push({ offset, length, content: JSON.stringify(now) });
      }
      node.children?.forEach(visit);
    };
    visit(root);
    return this.#withMembers(jsonc.applyEdits(text, edits));
  }

  #convert(value: string, path: jsonc.JSONPath): string {
    const { from, to } = this.#options;
    if (path.length === 1 && path[0] === 'type') return typeFor(value, to);
    if (to.format === from) return this.#withoutSecrets(value, path);
    if (to.format === 'vscode') {
      return this.#withoutSecrets(value, path).replaceAll(
        shellPattern,
        (whole, name: string, fallback?: string) => {
          if (fallback === undefined && editorNames.includes(name)) return whole;
          if (fallback !== undefined) this.lostDefaults.push(name);
          return `\${env:${name}}`;
        },
      );
    }
    this.impossible.push(...(value.match(/\$\{config:[^{}]*\}/g) ?? []));
    return this.#withoutSecrets(value, path)
      .replaceAll(inputPattern, (whole, id: string) =>
        this.#variable(`input ${id}`, id, value === whole ? path : []),
      )
      .replaceAll(/\$\{env:([A-Za-z_]\w*)\}/g, (_, name: string) => `\${${name}}`);
  }

  #withoutSecrets(value: string, path: jsonc.JSONPath): string {
    return this.#secrets
      .filter((secret) => secret.path.join('\0') === path.join('\0'))
      .toSorted((one, other) => other.start - one.start)
      .reduce((text, secret) => {
        const { start, value: literal, name } = secret;
        const isWhole = value.length === literal.length;
        const variable = this.#variable(`secret ${secretKey(secret)}`, name, isWhole ? path : []);
        return text.slice(0, start) + variable + text.slice(start + literal.length);
      }, value);
  }

  /** The only value of an environment variable keeps the name of that variable. */
  #variable(key: string, words: string, [place, own]: jsonc.JSONPath): string {
    const known = this.#variables.get(key);
    const refer = (name: string): string =>
      this.#options.to.format === 'vscode' ? `\${env:${name}}` : `\${${name}}`;
    if (known !== undefined) return refer(known);
    const isFree = (name: string): boolean =>
      this.#options.isFree(name) && !this.variables.includes(name);
    const isNamed = place === 'env' && /^[A-Za-z_]\w*$/.test(String(own)) && isFree(String(own));
    const { server } = this.#options;
    // The id of an input that Add Server made begins with the server's name.
    const isOfServer = variableText(words).startsWith(`${variableText(server)}_`);
    const full = isOfServer ? words : `${server} ${words}`;
    const name = isNamed ? String(own) : freeVariable(full, isFree);
    this.#variables.set(key, name);
    return refer(name);
  }

  /** Adds the members that other clients require, in front of the others. */
  #withMembers(text: string): string {
    const { isCopilot, format } = this.#options.to;
    const entry: unknown = jsonc.parse(text);
    if (format !== 'mcpServers' || !isObject(entry)) return text;
    const members = [
      ...('type' in entry || !('url' in entry || isCopilot === true)
        ? []
        : [`"type": "${'url' in entry ? 'http' : 'local'}"`]),
      ...('tools' in entry || isCopilot !== true ? [] : ['"tools": ["*"]']),
    ];
    const [, space = ''] = /^\{(\s*)/.exec(text) ?? [];
    return members.length === 0
      ? text
      : `{${members.map((member) => `${space}${member},`).join(space === '' ? ' ' : '')}${text.slice(1)}`;
  }
}

/** VS Code and Claude Code call a local program `stdio`, Copilot calls it `local`. */
function typeFor(value: string, { isCopilot }: MoveTarget): string {
  if (value !== 'stdio' && value !== 'local') return value;
  return isCopilot === true ? 'local' : 'stdio';
}
