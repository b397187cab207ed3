import { assertNever } from '../core/errors';
import type { ListProblem } from '../core/types';
import type { Server } from '../host/connections/snapshot';
import type { CliOutput } from './cliOutput';
import { inLine } from './errorWords';

/** Tells why the tools of a server may not be all of them; false where it did not send them all. */
export function tellListProblems({ config, listProblems }: Server, output: CliOutput): boolean {
  for (const problem of listProblems) {
    output.tell(`Server "${config.id}" ${listProblemWords(problem, output.redact)}`);
  }
  return listProblems.every(({ code }) => code !== 'pageFailed');
}

function listProblemWords(problem: ListProblem, redact: (text: string) => string): string {
  switch (problem.code) {
    case 'pageFailed':
      return `did not send all of its tools: ${inLine(redact(problem.detail))}`;
    case 'repeatedCursor':
      return 'repeats a page of its tools, so the list ends there';
    case 'repeatedEntries':
      return `lists entries on more than one page: ${problem.count}`;
    case 'emptyPages':
      return `sent so many empty pages in a row that the list ends there: ${problem.limit}`;
    case 'tooManyPages':
      return `lists its tools on too many pages; the rest is left out after ${problem.limit}`;
    case 'tooManyTools':
    case 'tooManyResources':
    case 'tooManyTasks':
      return `lists too much; the rest is left out after ${problem.limit}`;
    case 'unusableEntries':
      return `lists entries that cannot be used: ${problem.count}`;
    case 'alwaysChanging':
      return 'announces other tools after each list';
    default:
      return assertNever(problem);
  }
}
