// A window of its own for tests: makes calls until it is killed, and says each that was decided on
// and each whose end its caller has heard of.
import { CallRecorder } from '../../src/host/journal/callRecorder';
import { decidedCall, finishedCall } from './decidedCalls';
import { journalIn } from './journalEntries';

const [folder = '', name = ''] = process.argv.slice(2);
const { journal } = journalIn(folder);
const recorder = new CallRecorder({
  journal,
  recordsArguments: () => true,
  isRequired: () => false,
});

async function call(callId: string): Promise<void> {
  await recorder.decided(decidedCall(callId, { n: 1 }));
  process.stdout.write(`sent ${callId}\n`);
  const request = { server: 'demo', tool: 'login', origin: 'api' } as const;
  await recorder.ended(callId, request, finishedCall());
  process.stdout.write(`heard ${callId}\n`);
}

async function main(): Promise<void> {
  for (let index = 0; ; index += 1) {
    await Promise.all([1, 2, 3].map((each) => call(`${name}-${index}-${each}`)));
  }
}

void main();
