import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import path from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { peakMemoryBytes } from '../peakMemory';
import { printFigures, times } from './gateTimes';
import { median, type Figures } from './table';
import type { OpeningSubject, Subject, SubjectModule } from './subject';

// One measurement in a fresh process: `client.js <server script> <subject module> <workload> <transport>
// <what the server answers>`. Prints one JSON object of figures.
const [server = '', name = '', workload = '', transport = '', mode = workload] =
  process.argv.slice(2);
const subjectModule = require(path.join(__dirname, `${name}.js`)) as SubjectModule;

const mib = 1024 * 1024;

/** Time, longest event-loop stall and peak memory of one piece of work. */
async function measureOnce(work: () => Promise<unknown>): Promise<Figures> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await after(20);
  delay.reset();
  const startedAt = performance.now();
  await work();
  const ms = performance.now() - startedAt;
  // One more turn, so that a stall at the very end is counted as well.
  await after(5);
  delay.disable();
  return { ms, stallMs: delay.max / 1e6, peakMiB: peakMemoryBytes() / mib };
}

const call = (subject: Subject) => subject.callTool('echo', { text: 'hello' });

async function sequential(subject: Subject): Promise<Figures> {
  await times(() => call(subject), 2_000, 1);
  return { p50Ms: median(await times(() => call(subject), 10_000, 1)) };
}

async function concurrent(subject: Subject, inFlight: number, total: number): Promise<Figures> {
  await times(() => call(subject), total / 4, inFlight);
  const startedAt = performance.now();
  await times(() => call(subject), total, inFlight);
  return { callsPerSecond: total / ((performance.now() - startedAt) / 1000) };
}

async function measure(subject: Subject | OpeningSubject): Promise<Figures> {
  if ('open' in subject) return measureOnce(() => subject.open('echo'));
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

async function overHttp(): Promise<Figures> {
  const args = [server, mode, 'http'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = await once(child.stdout, 'data');
  const subject = await subjectModule.connectHttp(`http://127.0.0.1:${String(port).trim()}/mcp`);
  const figures = await measure(subject);
  await subject.close();
  child.kill();
  return figures;
}

async function overStdio(): Promise<Figures> {
  const before = process.cpuUsage();
  const subject = await subjectModule.connectStdio(process.execPath, [server, mode]);
  const { user, system } = process.cpuUsage(before);
  const figures =
    workload === 'connect' ? { cpuMs: (user + system) / 1000 } : await measure(subject);
  await subject.close();
  return figures;
}

printFigures(transport === 'http' ? overHttp() : overStdio());
