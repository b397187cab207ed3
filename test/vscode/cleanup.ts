import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { Socket } from 'node:net';

const actions = new Set<() => void>();

/** The newest first: processes end before the folders go that they write to. */
function runAll(): void {
  for (const action of [...actions].toReversed()) {
    try {
      action();
    } catch (error) {
      console.error(error); // The others must still run.
    }
  }
  actions.clear();
}

/**
 * Runs `action` when this process ends: by itself, by Ctrl+C or by a signal. It must be synchronous.
 * The returned function runs it now and not again.
 */
export function onEnd(action: () => void): () => void {
  if (actions.size === 0 && process.listenerCount('exit', runAll) === 0) {
    process.on('exit', runAll);
    // 128 + the signal's number is what a shell reports. Exiting runs the actions.
    process.on('SIGINT', () => process.exit(130));
    process.on('SIGTERM', () => process.exit(143));
    process.on('SIGHUP', () => process.exit(129));
  }
  actions.add(action);
  return () => {
    if (actions.delete(action)) action();
  };
}

/** Pairs of process and parent. From /proc where there is one: a bare Debian has no `ps`. */
function readProcesses(): (readonly [pid: number, parent: number])[] {
  if (process.platform !== 'linux') {
    const lines = spawnSync('ps', ['-A', '-o', 'pid=,ppid=']).stdout.toString().trim().split('\n');
    return lines
      .map((line) => line.trim().split(/\s+/).map(Number))
      .map(([a = 0, b = 0]) => [a, b]);
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => {
      try {
        // "pid (name, which may hold anything) state ppid ..."
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        return [Number(name), Number(stat.slice(stat.lastIndexOf(')')).split(' ')[2])];
      } catch {
        return [0, 0]; // It ended while we were looking.
      }
    });
}

/** The process and everything that it and its children started. */
export function processTree(pid: number): number[] {
  const processes = readProcesses();
  const tree = [pid];
  for (const parent of tree) {
    for (const [child, itsParent] of processes) if (itsParent === parent) tree.push(child);
  }
  return tree;
}

/** Ends a process that leads its own group, with all its descendants, at once. */
export function killTree(pid: number): void {
  if (process.platform === 'win32') {
    spawnSync('taskkill', ['/pid', String(pid), '/T', '/F']);
    return;
  }
  // The group catches what was orphaned, the tree what made a group of its own.
  for (const target of [-pid, ...processTree(pid)]) {
    try {
      process.kill(target, 'SIGKILL');
    } catch {
      // Already gone.
    }
  }
}

/**
 * Ends the process group when we are gone, even if we were killed and could clean up nothing: the
 * guard's input ends with us. The returned function calls the guard off.
 */
export function guardGroup(pid: number, folder: string): () => void {
  if (process.platform === 'win32') return () => undefined;
  const script = 'cat; kill -9 "-$1"; sleep 1; rm -rf -- "$2"';
  const guard = spawn('sh', ['-c', script, 'guard', String(pid), folder], {
    detached: true, // Else Ctrl+C in the terminal would end it, too.
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.unref();
  if (guard.stdin instanceof Socket) guard.stdin.unref();
  return () => {
    if (guard.pid !== undefined) killTree(guard.pid);
  };
}
