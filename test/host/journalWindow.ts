// A window of its own for tests: writes entries until it is killed, or as many as it is told.
import { Journal } from '../../src/host/journal/journal';
import { decision, limits } from './journalEntries';

const [folder = '', name = '', count = 'Infinity'] = process.argv.slice(2);
const journal = new Journal({
  folder,
  limits: () => limits,
  onProblem: (problem) => {
    const detail = problem.kind === 'writableAgain' ? problem.lost : problem.error.code;
    process.stdout.write(`${problem.kind} ${detail}\n`);
  },
});

async function main(): Promise<void> {
  for (let index = 0; index < Number(count); index += 1) {
    try {
      await journal.record(decision(`${name}-${index}`));
      process.stdout.write(`${name}-${index}\n`);
    } catch (error) {
      process.stdout.write(`refused ${String(error).split('\n')[0]}\n`);
      return;
    }
  }
}

void main().then(() => journal.stop());
