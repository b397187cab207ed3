import { compareGate } from './compareGate';
import { openGate } from './gateSubject';
import { printFigures } from './gateTimes';
import { watchTurns } from './longestTurns';
import type { Figures } from './table';

// Calls through the whole gate: `gateClient.js <server script>`. Prints one JSON object of figures.
const [server = ''] = process.argv.slice(2);

async function main(): Promise<Figures> {
  const subject = await openGate([server, 'echo']);
  const call = async (): Promise<void> => {
    const { kind } = await subject.call('echo', { text: 'hello' });
    if (kind !== 'result') throw new Error(`the call ended as ${kind}`);
  };
  let end: ReturnType<typeof watchTurns> | undefined;
  const figures = await compareGate(server, call, 4_000, () => (end = watchTurns()));
  const turns = end?.();
  if (subject.problems.length > 0) throw new Error(subject.problems.join('\n'));
  await subject.close();
  return { ...figures, ...turns };
}

printFigures(main());
