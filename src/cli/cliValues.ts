import path from 'node:path';
import type { CallFile, FileCall } from '../core/callFiles/callFile';
import type { KnownVariable, Variable, GeneratedValues } from '../core/callFiles/callFileVariables';
import {
  fileValuesOf,
  type FileValueKind,
  fillCall,
  valueOfCall,
  type FilledCall,
  type FoundValue,
} from '../core/callFiles/callVariables';
import { assertNever, McpError } from '../core/errors';
import type { JsonObject } from '../core/json/jsonValue';
import { isJsonObject } from '../core/json/shapes';
import type { RunAnswers } from '../host/callFiles/callAnswers';
import type { InputValues } from '../host/configuration/inputs';
import { inputVariable } from '../host/configuration/inputs';
import type { SecretValues } from '../host/secrets/secretValues';
import type { CliOptions } from './cliOptions';
import { readJsonc, readText } from './cliRules';
import { UsageError } from './exitCodes';
import type { ArgumentSources } from './typedArguments';

export type ProcessEnvironment = Readonly<Record<string, string | undefined>>;

const inputPrefix = 'TOOLGATE_INPUT_';

/** Returns the environment variable of an input, with `_` for characters that shells cannot set. */
export function inputEnvironmentName(name: string): string {
  return inputPrefix + name.replaceAll(/[^A-Za-z0-9_]/g, '_');
}

/** Reads an input by its name, or by its name in capitals with `_` for other characters. */
function environmentInput(name: string, env: ProcessEnvironment): string | undefined {
  const plain = inputEnvironmentName(name);
  const names = [inputPrefix + name, plain, plain.toUpperCase()];
  const given = names.find((each) => Object.hasOwn(env, each));
  return given === undefined ? undefined : env[given];
}

/** Returns the value when the text is one variable, `${input:…}` or `${env:…}`. @throws {UsageError} */
function typedVariable(text: string, env: ProcessEnvironment): string | undefined {
  const [, kind, name = ''] = /^\$\{(input|env):([^}]+)\}$/.exec(text) ?? [];
  if (kind === undefined) return undefined;
  const own = Object.hasOwn(env, name) ? env[name] : undefined;
  const value = kind === 'input' ? environmentInput(name, env) : own;
  if (value !== undefined) return value;
  const variable = kind === 'input' ? inputEnvironmentName(name) : name;
  throw new UsageError(`${text} has no value: set ${variable}.`);
}

/**
 * Returns the value of an option that takes a secret. From this call on, it counts as one.
 * @throws {UsageError} for a text that is not a variable, because other programs can read command lines
 */
export function secretVariable(
  option: string,
  text: string,
  env: ProcessEnvironment,
  secrets: Pick<SecretValues, 'add'>,
): string {
  const value = typedVariable(text, env);
  if (value === undefined) {
    throw new UsageError(`${option} must be a variable, such as \${input:secret} or \${env:NAME}.`);
  }
  secrets.add(value);
  return value;
}

/**
 * Fills arguments that are typed by hand. From this call on, values of variables count as secrets.
 */
export function argumentSources(
  folder: string,
  env: ProcessEnvironment,
  secrets: Pick<SecretValues, 'add'>,
): ArgumentSources {
  return {
    variable: (text) => {
      const value = typedVariable(text, env);
      if (value !== undefined) secrets.add(value);
      return value;
    },
    file: (name) => readText(path.resolve(folder, name), name),
  };
}

/**
 * Reads inputs of configurations. Each counts as a secret, because nothing declares which ones are
 * not.
 */
export function inputsFrom(
  env: ProcessEnvironment,
  secrets: Pick<SecretValues, 'add'>,
): InputValues {
  return {
    valueOf: ({ id }) => {
      const value = environmentInput(id, env);
      if (value === undefined) {
        const detail = `${inputVariable(id)} (${inputEnvironmentName(id)})`;
        return Promise.reject(new McpError('missingVariable', { detail }));
      }
      secrets.add(value);
      return Promise.resolve(value);
    },
  };
}

/** Named sets of values for `${var:…}`. */
export class CliEnvironments {
  readonly #all: JsonObject;

  /** @throws {UsageError} where a file is named that cannot be read, or a name it does not have */
  constructor(folder: string, file: string | undefined, names: readonly string[]) {
    const read = file === undefined ? {} : readJsonc(path.resolve(folder, file), file);
    if (!isJsonObject(read)) throw new UsageError(`${file ?? ''} contains no JSON object.`);
    this.#all = read;
    const missing = names.find((name) => !Object.hasOwn(read, name) || !isJsonObject(read[name]));
    if (missing === undefined) return;
    throw new UsageError(
      file === undefined
        ? '--env requires --environments with the file of the environments.'
        : `${file} has no environment "${missing}".`,
    );
  }

  valuesOf(name: string): JsonObject {
    const values = this.#all[name];
    return isJsonObject(values) ? values : {};
  }
}

export interface CliValuesOptions {
  readonly folder: string;
  readonly env: ProcessEnvironment;
  /** The names that the user passed by options. */
  readonly passed: Pick<CliOptions, 'passEnv' | 'passInput' | 'passesAnswers'>;
  readonly secrets: Pick<SecretValues, 'add'>;
}

/** These values are the same for all calls of one run of a file. */
export interface CliRunValues {
  readonly environment?: { readonly name: string; readonly values: JsonObject } | undefined;
  readonly generated: GeneratedValues;
  /** The answers of the calls of this run. */
  readonly answers: Pick<RunAnswers, 'get'>;
}

/** Fills the variables of calls, also from answers of earlier calls. */
export class CliValues {
  readonly #options: CliValuesOptions;

  constructor(options: CliValuesOptions) {
    this.#options = options;
  }

  /**
   * Never rejects. From this call on, values of environment variables and inputs count as secrets,
   * because nothing declares which ones are not.
   */
  async fill(
    file: CallFile,
    call: FileCall,
    { environment, generated, answers }: CliRunValues,
  ): Promise<FilledCall> {
    const { secrets } = this.#options;
    const typed: string[] = [];
    const filled = await fillCall(file, call, generated, async (variable, isSent) => {
      // The gate decides what is sent, and gives the reason.
      const mayRead = isSent || variable.kind === 'call' || this.#isGiven(variable);
      if (!mayRead) return { sentence: `${variable.text} is not passed to call files.` };
      const found = await this.#find(variable, environment, answers);
      const value = 'value' in found ? found.value : undefined;
      if (variable.kind !== 'input' || typeof value !== 'string') return found;
      secrets.add(value);
      typed.push(value);
      return found;
    });
    if (filled.kind !== 'filled') return filled;
    const all = [...new Set([...filled.secrets, ...typed])];
    for (const secret of all) secrets.add(secret);
    return { ...filled, secrets: all, fileValues: this.#unpassed(file, call) };
  }

  /** The kinds of values that the file chose and the user did not name. */
  #unpassed(file: CallFile, call: FileCall): readonly FileValueKind[] {
    const sourceOf = (name: string) => file.calls.find((each) => each.name === name);
    const isOther = ({ name }: { name: string }) => sourceOf(name)?.server !== call.server;
    const kinds = fileValuesOf(file, call, isOther, (variable) => this.#isGiven(variable));
    // There is no user to ask, so the options decide which values of the file are used.
    return kinds.filter((kind) => kind !== 'toQuestions');
  }

  #isGiven(variable: Variable): boolean {
    const { passEnv, passInput, passesAnswers } = this.#options.passed;
    switch (variable.kind) {
      case 'env':
        return passEnv.includes(variable.name);
      case 'input':
        return passInput.includes(variable.name);
      case 'call':
        return passesAnswers;
      case 'workspaceFolder':
      case 'var':
      case 'file':
      case 'selectedText':
      case 'generated':
        // The command has the folder and the environment; other variables have no value here.
        return true;
      default:
        return assertNever(variable);
    }
  }

  async #find(
    variable: KnownVariable,
    environment: CliRunValues['environment'],
    answers: CliRunValues['answers'],
  ): Promise<NonNullable<FoundValue>> {
    const { env, folder } = this.#options;
    switch (variable.kind) {
      case 'env': {
        const value = Object.hasOwn(env, variable.name) ? env[variable.name] : undefined;
        return value === undefined
          ? { sentence: `The environment variable "${variable.name}" is not set.` }
          : { value };
      }
      case 'input': {
        const value = environmentInput(variable.name, env);
        return value === undefined
          ? {
              sentence: `${variable.text} has no value: set ${inputEnvironmentName(variable.name)}.`,
            }
          : { value };
      }
      case 'var':
        return fromEnvironment(variable.name, environment);
      case 'workspaceFolder':
        return { value: folder };
      case 'file':
      case 'selectedText':
        return { sentence: `${variable.text} has a value only in an editor.` };
      case 'call': {
        const result = await answers.get(variable.name);
        const value = result === undefined ? undefined : valueOfCall(variable, result);
        return value === undefined
          ? { sentence: `The result of "${variable.name}" has no value for ${variable.text}.` }
          : { value };
      }
      default:
        return assertNever(variable);
    }
  }
}

function fromEnvironment(
  name: string,
  environment: CliRunValues['environment'],
): NonNullable<FoundValue> {
  if (environment === undefined) {
    return { sentence: `"\${var:${name}}" requires an environment: use --env.` };
  }
  const { values } = environment;
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  if (value !== undefined) return { value };
  return { sentence: `The environment "${environment.name}" has no "${name}".` };
}
