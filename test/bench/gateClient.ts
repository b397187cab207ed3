import { monitorEventLoopDelay } from 'node:perf_hooks';
import { connectStdio } from './sdk1';
import { openGate } from './gateSubject';
import { compare, heapMiB, printFigures, times, type Call } from './gateTimes';

// Calls through the whole gate beside the same calls straight through the core, and by the official SDK, in
// turns, in one process: `gateClient.js <server script> [calls]`. Prints one JSON object of figures.
const [server = '', count = '4000'] = process.argv.slice(2);
const given = { text: 'hello' };

async function main(): Promise<Record<string, number>> {
  const subject = await openGate(process.execPath, [server, 'echo']);
  const sdk = await connectStdio(process.execPath, [server, 'echo']);
  const ways: [string, Call][] = [
    ['sdk', () => sdk.callTool('echo', given)],
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
  await sdk.close();
  return { ...figures, ...report };
}

printFigures(main());
