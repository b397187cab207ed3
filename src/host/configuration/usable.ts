import { McpError } from '../../core/errors';
import type { ConfigProblem } from './serverConfig';

const variableCodes: readonly string[] = ['missingVariable', 'unsupportedVariable', 'unknownInput'];

/**
 * Lets pass what can be started.
 * @throws {McpError} missingVariable | invalidConfiguration
 */
export function throwIfUnusable(problems: readonly ConfigProblem[]): void {
  const fatal = problems.find((problem) => problem.fatal);
  if (fatal === undefined) return;
  const isVariable = variableCodes.includes(fatal.code);
  const code = isVariable ? 'missingVariable' : 'invalidConfiguration';
  throw new McpError(code, { detail: fatal.detail ?? fatal.path.join('.') });
}
