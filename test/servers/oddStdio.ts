import { createInterface } from 'node:readline';
import { framings } from './oddFraming';
import { answerTo, places, sayings, type OddMessage } from './oddMessages';

// A server with one oddity as a process: `<name of the oddity> <place> [<manner>]`.
const [, , name, wanted, manner] = process.argv;
const place = places.find((known) => known === wanted) ?? 'stdio, stateful';
const saying = sayings.find((known) => known.name === name);
const framing = framings.find((known) => known.name === name && known.only?.(place) === true);

let isReady = false;
if (framing?.before !== undefined) process.stdout.write(framing.before);

createInterface({ input: process.stdin }).on('line', (line) => {
  const request: OddMessage = JSON.parse(line);
  if (request.method === 'initialize') isReady = true;
  if (!isReady && place === 'stdio, stateful') {
    if (manner === 'dies') process.exit(1);
    if (manner === 'silent') return;
  }
  const answer = answerTo(request, place, saying);
  if (answer === undefined) return;
  for (const said of saying?.says?.(answer, request) ?? [answer]) {
    const json = JSON.stringify(said);
    for (const piece of framing?.pieces(json) ?? [`${json}\n`]) process.stdout.write(piece);
  }
});
