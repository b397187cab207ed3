import { spawn } from 'node:child_process';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { peakMemoryBytes } from '../peakMemory';
import type { OpeningSubject, Subject, SubjectModule } from './subject';

// One measurement in a fresh process: `client.js <subject module> <workload> <server script>
// <transport> <what the server answers>`. Prints one JSON object of figures.
const [modulePath = '', workload = '', server = '', transport = '', mode = workload] =
  process.argv.slice(2);
const subjectModule = require(modulePath) as SubjectModule;

type Figures = Record<string, number>;

const mib = 1024 * 1024;

/** Time, longest event-loop stall and peak memory of one piece of work. */
async function measureOnce(work: () => Promise<unknown>): Promise<Figures> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await new Promise((resolve) => setTimeout(resolve, 20));
  delay.reset();
  const startedAt = performance.now();
  await work();
  const ms = performance.now() - startedAt;
  // One more turn, so that a stall at the very end is counted as well.
  await new Promise((resolve) => setTimeout(resolve, 5));
  delay.disable();
  return { ms, stallMs: delay.max / 1e6, peakMiB: peakMemoryBytes() / mib };
}

const call = (subject: Subject) => subject.callTool('echo', { text: 'hello' });

async function sequential(subject: Subject): Promise<Figures> {
  for (let i = 0; i < 2_000; i++) await call(subject);
  const times: number[] = [];
  for (let i = 0; i < 10_000; i++) {
    const startedAt = performance.now();
    await call(subject);
    times.push(performance.now() - startedAt);
  }
  times.sort((a, b) => a - b);
  return { p50Ms: times[times.length >> 1] ?? NaN };
}

async function concurrent(subject: Subject, inFlight: number, total: number): Promise<Figures> {
  const run = async (count: number): Promise<number> => {
    let left = count;
    const startedAt = performance.now();
    const worker = async (): Promise<void> => {
      while (left-- > 0) await call(subject);
    };
    await Promise.all(Array.from({ length: inFlight }, worker));
    return count / ((performance.now() - startedAt) / 1000);
  };
  await run(total / 4);
  return { callsPerSecond: await run(total) };
}

async function measure(subject: Subject | OpeningSubject): Promise<Figures> {
  if ('opener' in subject) {
    const open = await subject.opener();
    return measureOnce(() => open('echo'));
  }
  switch (workload) {
    case 'sequential':
      return sequential(subject);
    case 'flight16':
      // Few enough calls, and most of what is measured is V8 compiling.
      return concurrent(subject, 16, 40_000);
    case 'flight256':
      return concurrent(subject, 256, 60_000);
    case 'list10k':
    case 'list1kOutput':
      return measureOnce(() => subject.listTools());
    default:
      return measureOnce(() => call(subject));
  }
}

async function startHttpServer(): Promise<{ url: string; stop(): void }> {
  const child = spawn(process.execPath, [server, mode, 'http'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = await new Promise<string>((resolve) => {
    child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString().trim()));
  });
  return { url: `http://127.0.0.1:${port}/mcp`, stop: () => child.kill() };
}

async function main(): Promise<Figures> {
  if (transport === 'http') {
    const http = await startHttpServer();
    const subject = await subjectModule.connectHttp(http.url);
    const figures = await measure(subject);
    await subject.close();
    http.stop();
    return figures;
  }
  const before = process.cpuUsage();
  const subject = await subjectModule.connectStdio(process.execPath, [server, mode]);
  const { user, system } = process.cpuUsage(before);
  const figures =
    workload === 'connect' ? { cpuMs: (user + system) / 1000 } : await measure(subject);
  await subject.close();
  return figures;
}

main().then(
  // Whoever started this process ends it when it has read the line.
  (figures) => console.log(JSON.stringify(figures)),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
