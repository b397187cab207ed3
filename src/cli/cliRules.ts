import path from 'node:path';
import { FileRefusedError, readRegularFileSync, fileText } from '../core/bounds/regularFile';
import { isObject } from '../core/json/shapes';
import { jsoncValue } from '../core/json/parseJson';
import { riskLevels, type RiskLevel } from '../core/risk';
import { jsonTree, withoutBom } from '../host/configuration/jsonTree';
import { parseRules } from '../host/consent/rules/ruleBook';
import type { RuleSources } from '../host/consent/rules/rule';
import { settings } from '../ids';
import { UsageError } from './exitCodes';
import { isNotFound } from '../core/bounds/systemError';

export interface CliRulesOptions {
  readonly folder: string;
  /** Path of a file of rules, from `folder`. */
  readonly allow: string | undefined;
  readonly maxRisk: RiskLevel | undefined;
  /** `maxRisk` is for agents and not for the user. */
  readonly isForAgents: boolean;
}

/** The size of files that are named by options and arguments. */
const maxFileBytes = 4 * 1024 * 1024;
const ruleSetting = `${settings.section}.${settings.rules}`;

/**
 * Returns the rules of a run. Rules of the named file and `maxRisk` count like user settings; rules
 * of the workspace can only ask and deny, as in the editor.
 * @throws {UsageError} if a named rule cannot be read exactly as written
 */
export function cliRules({ folder, allow, maxRisk, isForAgents }: CliRulesOptions): RuleSources {
  const named = allow === undefined ? [] : namedRules(path.resolve(folder, allow), allow);
  const byRisk = maxRisk === undefined ? [] : [ruleForRisk(maxRisk, isForAgents)];
  const workspace = workspaceRules(path.join(folder, '.vscode', 'settings.json'));
  return { user: [...named, ...byRisk], workspace, folders: [] };
}

function ruleForRisk(maxRisk: RiskLevel, isForAgents: boolean): object {
  const risk = riskLevels.slice(0, riskLevels.indexOf(maxRisk) + 1);
  const origin = isForAgents ? { origin: ['agent'] } : {};
  return { effect: 'allow', risk, ...origin, reason: `--max-risk ${maxRisk}` };
}

function namedRules(file: string, shown: string): readonly unknown[] {
  const value = readJsonc(file, shown);
  const rules = isObject(value) ? value[ruleSetting] : value;
  if (!Array.isArray(rules)) {
    throw new UsageError(
      `${shown} contains neither a list of rules nor an object with "${ruleSetting}".`,
    );
  }
  const { problems } = parseRules({ user: rules, workspace: undefined, folders: [] });
  const [first] = problems.filter(({ severity }) => severity === 'error');
  if (first !== undefined) {
    throw new UsageError(`${shown}: ${first.code} at ${JSON.stringify(first.path)}.`);
  }
  return rules;
}

/** Reads rules of the workspace. Settings that cannot be read allow nothing. */
function workspaceRules(file: string): unknown {
  let value: unknown;
  try {
    value = readJsonc(file, file);
  } catch (error) {
    if (error instanceof UsageError && error.cause === 'absent') return undefined;
    throw error;
  }
  return isObject(value) ? value[ruleSetting] : undefined;
}

/**
 * Reads a named file. One in another encoding is refused, because other characters than it has would
 * be sent. @throws {UsageError} with the cause `absent` when there is no such file
 */
export function readText(file: string, shown: string, maxBytes = maxFileBytes): string {
  try {
    return fileText(readRegularFileSync(file, maxBytes), { fatal: true });
  } catch (error) {
    if (isNotFound(error)) throw new UsageError(`There is no file ${shown}.`, { cause: 'absent' });
    throw new UsageError(`${shown} ${problemOf(error)}.`, { cause: error });
  }
}

function problemOf(error: unknown): string {
  if (error instanceof FileRefusedError && error.refusal === 'tooLarge') return 'is too large';
  return error instanceof TypeError ? 'is not in UTF-8' : 'cannot be read';
}

/** Reads JSON with comments. @throws as {@link readText} */
export function readJsonc(file: string, shown: string): unknown {
  const text = readText(file, shown);
  const { root, error } = jsonTree(withoutBom(text));
  if (error !== undefined) {
    const isMany = error.detail === 'TooManyValues';
    throw new UsageError(`${shown} ${isMany ? 'contains too many values' : 'is not valid JSON'}.`);
  }
  return root === undefined ? undefined : jsoncValue(root, withoutBom(text));
}
