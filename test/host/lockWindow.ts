import { readFile, writeFile } from 'node:fs/promises';
import { ExclusiveLocks } from '../../src/host/storage/exclusiveLocks';

// Started by the test of exclusive work, several at once: counts in a file, which loses counts
// where two do it at a time. With `hang` it keeps the lock until it is killed.
const [folder = '', file = '', rounds = ''] = process.argv.slice(2);

async function count(): Promise<void> {
  const onProblem = (detail: string) => process.stdout.write(`problem ${detail}\n`);
  const locks = new ExclusiveLocks({ folder, settleMs: 0, onProblem });
  if (rounds === 'hang') {
    await locks.run('count', async () => {
      process.stdout.write('has it\n');
      await new Promise((resolve) => setTimeout(resolve, 3_600_000));
    });
  }
  for (let round = 0; round < Number(rounds); round += 1) {
    await locks.run('count', async () => {
      const before = Number(await readFile(file, 'utf8'));
      await new Promise((resolve) => setTimeout(resolve, 2));
      await writeFile(file, String(before + 1));
    });
  }
  process.stdout.write('done\n');
}

void count();
