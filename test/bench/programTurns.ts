import { writeFileSync } from 'node:fs';
import { peakMemoryBytes } from '../peakMemory';
import { watchTurns } from './longestTurns';

// Loaded before a program: when it ends, its longest turns and its memory stand in the file that
// `TOOLGATE_BENCH_TURNS` names.
const file = process.env.TOOLGATE_BENCH_TURNS;
const before = process.memoryUsage.rss();
const mib = 1024 * 1024;
// What loads the program itself is no turn of an answer.
const startsMs = 500;
let end: ReturnType<typeof watchTurns> | undefined;
setTimeout(() => (end = watchTurns()), startsMs).unref();
process.on('exit', () => {
  const turns = end?.() ?? { stallMs: 0, turnCpuMs: 0 };
  const peakMiB = (peakMemoryBytes() - before) / mib;
  if (file !== undefined) writeFileSync(file, JSON.stringify({ ...turns, peakMiB }));
});
