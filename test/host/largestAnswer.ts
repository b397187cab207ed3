import { createHash } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as after } from 'node:timers/promises';
import { isSpooled } from '../../src/host/results/resultSpool';
import { clientOverStdio } from '../bench/adapter';
import { keeperOf } from '../bench/opened';
import { peakMemoryBytes } from '../peakMemory';

// A window that calls a tool whose answer is as large as one may be: `largestAnswer.ts <server
// script> <folder> <tool>` prints what it kept of the answer there, and what that took.
async function main(script: string, folder: string, tool: string): Promise<void> {
  const { keep, close } = await keeperOf(() => clientOverStdio(process.execPath, [script]), folder);
  const before = process.memoryUsage().rss;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await after(20);
  delay.reset();
  const { parts, names, read } = await keep(tool);
  const beginning = await read(names.at(-1) ?? '');
  const [part] = parts;
  if (part === undefined || !isSpooled(part)) throw new Error('not on disk');
  await part.spooled.settled;
  const hash = createHash('sha256');
  for await (const slice of part.slices()) hash.update(slice);
  await after(5);
  delay.disable();
  const grownBytes = peakMemoryBytes() - before;
  console.log(
    JSON.stringify({
      names,
      size: part.size,
      lines: part.spooled.lines,
      beginningLines: Buffer.from(beginning).toString().split('\n').length,
      isOnDisk: part.spooled.isOnDisk,
      sha256: hash.digest('hex'),
      grownMiB: Math.round(grownBytes / 1024 / 1024),
      stallMs: Math.round(delay.max / 1e6),
    }),
  );
  await close();
}

const [script = '', folder = '', tool = 'book'] = process.argv.slice(2);
main(script, folder, tool).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
