import { RecordStore } from '../../src/host/storage/recordStore';

// Started by the test of the record store, twice or more at once, and killed there: writes one
// record after the other until it has written as many as it was told to, and says each that is on
// the disk.
const [folder = '', name = '', count = ''] = process.argv.slice(2);

async function write(): Promise<void> {
  const store = new RecordStore<object>({
    folder,
    parse: (value) => (typeof value === 'object' && value !== null ? value : undefined),
    onProblem: (problem) => process.stdout.write(`problem ${JSON.stringify(problem)}\n`),
  });
  for (let index = 0; index < Number(count); index += 1) {
    const text = `${name}-${index} `.repeat(40_000);
    await store.put(`${name}-${index}`, { text, end: index });
    await store.put('shared', { text, end: index });
    process.stdout.write(`${name}-${index}\n`);
  }
}

void write();
