import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { CallFile, FileCall } from '../../src/core/callFiles/callFile';
import { fillCall } from '../../src/core/callFiles/fillCall';
import { GeneratedValues } from '../../src/core/callFiles/generatedValues';
import { maxCalls, readCallFile } from '../../src/core/callFiles/parseCallFile';
import { runTests, type MadeCall } from '../../src/core/testing/runTests';
import { fileRequest } from '../../src/host/callFiles/fileRequest';
import { toAnswer } from '../../src/host/calls/call';
import { openGate } from './gateSubject';
import { printFigures } from './gateTimes';

// The largest call file in one run, through the whole gate, each answer held against what was
// expected: `callFileClient.js <server script>`. Prints one JSON object of figures.
const [server = ''] = process.argv.slice(2);

const text = JSON.stringify({
  calls: Object.fromEntries(
    Array.from({ length: maxCalls }, (_, index) => [
      `call ${index}`,
      {
        server: 'bare',
        tool: 'echo',
        arguments: { text: `hello ${index}` },
        expect: { matches: { '/content/0/text': '^.' } },
      },
    ]),
  ),
});

async function main(): Promise<Record<string, number>> {
  const { gate, validator, close } = await openGate(process.execPath, [server, 'echo']);
  const makeCall = async (file: CallFile, call: FileCall): Promise<MadeCall> => {
    const filled = await fillCall(file, call, new GeneratedValues(), () => undefined);
    if (filled.kind !== 'filled') throw new Error(filled.kind);
    const outcome = await gate.call(fileRequest(call, 'file', filled));
    if (outcome.kind !== 'result') throw new Error(`the call ended as ${outcome.kind}`);
    return { kind: 'answered', answer: toAnswer(outcome) };
  };
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const startedAt = performance.now();
  const { file, problems } = readCallFile(text);
  if (file === undefined) throw new Error(JSON.stringify(problems));
  const readText = () => Promise.resolve({ code: 'fileOutside' as const });
  let passed = 0;
  const { calls } = file;
  const run = { calls, validator, readText, makeCall: (call: FileCall) => makeCall(file, call) };
  for await (const { status } of runTests(run)) {
    if (status === 'passed') passed += 1;
  }
  const ms = performance.now() - startedAt;
  delay.disable();
  await close();
  if (passed !== maxCalls) throw new Error(`${passed} of ${maxCalls} passed`);
  return { ms, stallMs: delay.max / 1e6 };
}

printFigures(main());
