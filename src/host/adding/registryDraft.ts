import { isObject, type UnknownObject } from '../../core/json/shapes';
import { freeName } from '../../core/nearestName';
import { inputIdOf } from './clientEntry';
import type { DraftEntry, DraftInput, ServerDraft } from './draft';
import { shortName, isPackageName, type PackageKind } from './programDraft';

/**
 * Returns the ways to run a server that its `server.json` (MCP registry) describes: one draft for
 * each package and each remote. Required values become inputs. Keys are accepted in both spellings,
 * `runtimeHint` and the older `runtime_hint`. Returns an empty list for other values.
 */
export function draftsFromRegistry(value: unknown): readonly ServerDraft[] {
  // The registry's response wraps the file with metadata.
  const file = isObject(value) && isObject(value['server']) ? value['server'] : value;
  if (!isObject(file) || typeof file['name'] !== 'string') return [];
  const name = shortName(file['name'].split('/').at(-1) ?? file['name']);
  const draftOf = (entry: (inputs: Inputs) => DraftEntry | undefined): ServerDraft[] => {
    const inputs = new Inputs();
    const made = entry(inputs);
    if (made === undefined) return [];
    const draft = { entry: made, inputs: inputs.all, notes: [] };
    return [name === undefined ? draft : { ...draft, name }];
  };
  return [
    ...objectsOf(file['packages']).flatMap((each) => draftOf((inputs) => ofPackage(each, inputs))),
    ...objectsOf(file['remotes']).flatMap((each) => draftOf((inputs) => ofRemote(each, inputs))),
  ];
}

const runners: Readonly<Record<PackageKind, string>> = {
  npm: 'npx',
  pypi: 'uvx',
  docker: 'docker',
  nuget: 'dnx',
};

function ofPackage(given: UnknownObject, inputs: Inputs): DraftEntry | undefined {
  const transport = field(given, 'transport');
  // Another program starts it, so it is treated like a remote.
  const address = isObject(transport) ? ofRemote(transport, inputs) : undefined;
  if (address !== undefined) return address;
  const registry = field(given, 'registryType') ?? field(given, 'registryName');
  const identifier = field(given, 'identifier') ?? given['name'];
  const kind = registry === 'oci' ? 'docker' : packageKinds.find((known) => known === registry);
  if (kind === undefined || typeof identifier !== 'string') return undefined;
  if (!isPackageName(kind, identifier)) return undefined;
  const version = typeof given['version'] === 'string' ? given['version'] : '';
  const hint = field(given, 'runtimeHint');
  const command = typeof hint === 'string' && /^[\w.-]+$/.test(hint) ? hint : runners[kind];
  const runtime = argumentsOf(field(given, 'runtimeArguments'), inputs);
  const own = argumentsOf(field(given, 'packageArguments'), inputs);
  const env = variablesOf(field(given, 'environmentVariables'), inputs);
  const named = withVersion(kind, identifier, version);
  const args = {
    npm: [...(runtime.includes('-y') ? [] : ['-y']), ...runtime, named, ...own],
    pypi: [...runtime, named, ...own],
    nuget: [named, ...runtime, '--yes', ...(own.length === 0 ? [] : ['--', ...own])],
    docker: [
      'run',
      '-i',
      '--rm',
      ...runtime.filter((arg) => !/^(?:run|-i|--rm)$/.test(arg)),
      ...Object.keys(env).flatMap((name) => ['-e', name]),
      named,
      ...own,
    ],
  }[kind];
  return { command, args, ...(Object.keys(env).length === 0 ? {} : { env }) };
}

const packageKinds = ['npm', 'pypi', 'nuget'] as const;

function withVersion(kind: PackageKind, identifier: string, version: string): string {
  if (version === '' || version === 'latest') return identifier;
  if (kind !== 'docker') return /.@/.test(identifier) ? identifier : `${identifier}@${version}`;
  return /[:@][^/]*$/.test(identifier) ? identifier : `${identifier}:${version}`;
}

function ofRemote(given: UnknownObject, inputs: Inputs): DraftEntry | undefined {
  const { url } = given;
  if (typeof url !== 'string' || url === '') return undefined;
  const type = given['type'] ?? field(given, 'transportType');
  const address = inputs.filled(url, given['variables']);
  const headers = variablesOf(given['headers'], inputs);
  return {
    type: type === 'sse' ? 'sse' : 'http',
    url: address,
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
  };
}

function variablesOf(value: unknown, inputs: Inputs): Record<string, string> {
  const all = objectsOf(value).flatMap((each): [string, string][] => {
    const { name } = each;
    const text = typeof name === 'string' ? inputs.valueOf(name, each) : undefined;
    return typeof name !== 'string' || text === undefined ? [] : [[name, text]];
  });
  return Object.fromEntries(all);
}

function argumentsOf(value: unknown, inputs: Inputs): string[] {
  return objectsOf(value).flatMap((each): string[] => {
    const { type, name } = each;
    const hint = field(each, 'valueHint');
    const label = [name, hint].find((text) => typeof text === 'string');
    const isFlag =
      type === 'named' && ['value', 'default', 'variables'].every((key) => !(key in each));
    if (type === 'named' && typeof name === 'string') {
      if (isFlag && !isRequired(each)) return [];
      const text = isFlag && !('format' in each) ? '' : inputs.valueOf(name, each);
      return text === undefined ? [] : text === '' ? [name] : [name, text];
    }
    const text = inputs.valueOf(typeof label === 'string' ? label : 'argument', each);
    return text === undefined ? [] : [text];
  });
}

/** Collects the required inputs. */
class Inputs {
  readonly #all = new Map<string, DraftInput>();

  get all(): readonly DraftInput[] {
    return [...this.#all.values()];
  }

  /** Returns the value for a named setting, or `undefined` if it is optional. */
  valueOf(name: string, given: UnknownObject): string | undefined {
    const { value, variables } = given;
    if (typeof value === 'string' && value !== '') return this.filled(value, variables);
    const fallback = given['default'];
    const isSecret = field(given, 'isSecret') === true;
    if (!isRequired(given) && !isSecret) {
      return typeof fallback === 'string' && fallback !== '' ? fallback : undefined;
    }
    return this.#ask(name, given);
  }

  /** `{name}` is a variable if one of this name is declared. */
  filled(text: string, variables: unknown): string {
    if (!isObject(variables)) return text;
    return text.replaceAll(/\{([\w.-]+)\}/g, (whole, name: string) => {
      const given = Object.hasOwn(variables, name) ? variables[name] : undefined;
      return isObject(given) ? (this.valueOf(name, { ...given, isRequired: true }) ?? '') : whole;
    });
  }

  #ask(name: string, given: UnknownObject): string {
    const id = freeName(inputIdOf(name), this.#all);
    const { description, choices } = given;
    const options = Array.isArray(choices)
      ? choices.filter((each): each is string => typeof each === 'string')
      : [];
    const fallback = given['default'];
    this.#all.set(id, {
      id,
      type: options.length > 0 ? 'pickString' : 'promptString',
      description: typeof description === 'string' ? description : name,
      ...(typeof fallback === 'string' ? { default: fallback } : {}),
      ...(options.length > 0 ? { options } : {}),
      ...(field(given, 'isSecret') === true && options.length === 0 ? { password: true } : {}),
    });
    return `\${input:${id}}`;
  }
}

function isRequired(given: UnknownObject): boolean {
  return field(given, 'isRequired') === true;
}

/** Also reads the older spelling: `is_secret` for `isSecret`. */
function field(given: UnknownObject, name: string): unknown {
  return given[name] ?? given[name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
}

function objectsOf(value: unknown): readonly UnknownObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
