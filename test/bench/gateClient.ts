import { monitorEventLoopDelay } from 'node:perf_hooks';
import { openGate } from './gateSubject';
import { compare, heapMiB, printFigures, times, type Call } from './gateTimes';

// Calls through the whole gate beside the same calls straight through the core, in turns, in one
// process: `gateClient.js <server script> [calls]`. Prints one JSON object of figures.
const [server = '', count = '4000'] = process.argv.slice(2);
const given = { text: 'hello' };

async function main(): Promise<Record<string, number>> {
  const subject = await openGate(process.execPath, [server, 'echo']);
  const ways: [string, Call][] = [
    ['core', () => subject.core.callTool('echo', given)],
    [
      'gate',
      async () => {
        const { kind } = await subject.call('echo', given);
        if (kind !== 'result') throw new Error(`the call ended as ${kind}`);
      },
    ],
  ];
  for (const [, call] of ways) await times(call, 1_000, 4);
  await subject.history.stop();
  const heapBefore = heapMiB();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const figures = await compare(ways, Number(count));
  delay.disable();
  await subject.history.stop();
  const report = { stallMs: delay.max / 1e6, heapBefore, heapAfter: heapMiB() };
  if (subject.problems.length > 0) throw new Error(subject.problems.join('\n'));
  await subject.close();
  return { ...figures, ...report };
}

printFigures(main());
