import { createInterface } from 'node:readline';
import type { ToolResult } from '../../src/core/types';
import { historyIn, idsOf, pastCall, resultOf } from './pastCalls';

// A window of its own for tests: keeps calls until it is killed or has kept as many as it was told
// to, and says each that is on the disk, and each problem. With `stays` it goes on then until it
// is told to end, and whenever it is told something, it looks at the folder and says which calls it
// sees and which of its own are gone.
const [folder = '', name = '', count = 'Infinity', stays = ''] = process.argv.slice(2);
const { history } = historyIn(folder, {
  onProblem: (problem) => say('problem', JSON.stringify(problem)),
});
const gone: string[] = [];
history.onDidVanish((ids) => gone.push(...ids));
const lines = stays === '' ? undefined : createInterface({ input: process.stdin });
const end = new AbortController();

function say(...words: readonly string[]): void {
  process.stdout.write(`${words.join(' ')}\n`);
}

async function keepCalls(): Promise<void> {
  for (let index = 0; index < Number(count) && !end.signal.aborted; index += 1) {
    const callId = `${name}-${index}`;
    const result: ToolResult = resultOf(`${callId} `.repeat(40_000));
    history.keep(pastCall(callId), { result, pathOf: () => `/shop/calls/${callId}` });
    await history.stop();
    say(callId);
  }
}

async function look(): Promise<void> {
  await history.refresh();
  say(idsOf(history).toSorted().join(), '|', gone.toSorted().join());
}

lines?.on('line', () => void look());
lines?.on('close', () => end.abort());
void keepCalls();
