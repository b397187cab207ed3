// A window of its own for tests: calls a real server through the whole gate, and says each call whose
// end its caller has heard of. Its folder gets what the product keeps, and `noted`, in which the
// server writes what it was given. It is killed at once when so many were heard of, or when so many
// came to the server, in the moment when they do.
import { writeSync } from 'node:fs';
import path from 'node:path';
import { openGate } from '../bench/gateSubject';

const [base = '', who = 'caller', count = '1', inFlight = '1'] = process.argv.slice(2);
const server = path.resolve(__dirname, '../servers/noting.mjs');
let heard = 0;

async function main(): Promise<void> {
  const script = [server, path.join(base, 'noted'), ...(who === 'server' ? [count] : [])];
  const gate = await openGate(script, { base });
  const callOnAndOn = async (lane: number): Promise<never> => {
    for (let index = 0; ; index += 1) {
      const outcome = await gate.call('note', { text: `${lane}-${index}` });
      writeSync(1, `${outcome.callId} ${outcome.kind}\n`);
      heard += 1;
      if (who === 'caller' && heard === Number(count)) process.kill(process.pid, 'SIGKILL');
    }
  };
  await Promise.all(Array.from({ length: Number(inFlight) }, (_, lane) => callOnAndOn(lane)));
}

void main();
