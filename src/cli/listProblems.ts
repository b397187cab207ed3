import { assertNever } from '../core/errors';
import type { ListProblem } from '../core/types';
import type { Server } from '../host/connections/snapshot';
import type { CliOutput } from './cliOutput';
import { inLine } from './errorMessage';

/** Tells why the list of tools may be incomplete. Returns false when the server did not send all tools. */
export function notifyListProblems({ config, listProblems }: Server, output: CliOutput): boolean {
  return notifyProblemsOfList(config.id, { what: 'tools', problems: listProblems }, output);
}

/** Returns the names that the server lists more than once. */
export function repeatedTools({ tools }: Pick<Server, 'tools'>): readonly string[] {
  const repeated = tools.filter(({ tool }) =>
    tool.problems.some(({ code }) => code === 'nameDuplicate'),
  );
  return [...new Set(repeated.map(({ tool }) => tool.name))];
}

export function repeatedToolMessage(id: string, name: string): string {
  return `Server "${id}" lists the tool "${inLine(name)}" more than once; only the first can be called.`;
}

/** Does the same for any list of a server. */
export function notifyProblemsOfList(
  id: string,
  listed: {
    readonly what: 'tools' | 'resources' | 'prompts' | 'tasks' | 'skills';
    readonly problems: readonly ListProblem[];
  },
  output: CliOutput,
): boolean {
  const { what, problems } = listed;
  for (const problem of problems) {
    output.notify(`Server "${id}" ${listProblemMessages(problem, what, output.redact)}`);
  }
  return problems.every(({ code }) => code !== 'pageFailed');
}

/** Describes a problem of a list; the text follows the name of the server. */
export function listProblemMessages(
  problem: ListProblem,
  what: string,
  redact: (text: string) => string,
): string {
  switch (problem.code) {
    case 'pageFailed':
      return `did not send all of its ${what}: ${inLine(redact(problem.detail))}`;
    case 'repeatedCursor':
      return `repeats a page of its ${what}, so the list ends there`;
    case 'repeatedEntries':
      return `lists entries on more than one page: ${problem.count}`;
    case 'emptyPages':
      return `sent too many empty pages in a row, so the list ends there: ${problem.limit}`;
    case 'tooManyPages':
      return `lists its ${what} on too many pages; the rest is left out after ${problem.limit}`;
    case 'tooManyTools':
    case 'tooManyResources':
    case 'tooManyTasks':
      return `lists too much; the rest is left out after ${problem.limit}`;
    case 'unusableEntries':
      return `lists entries that cannot be used: ${problem.count}`;
    case 'unusableSkill':
      return `lists a skill that cannot be used: ${inLine(redact(problem.uri))}`;
    case 'alwaysChanging':
      return `announces other ${what} after each list`;
    default:
      return assertNever(problem);
  }
}
