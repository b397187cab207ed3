import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Writable } from 'node:stream';

/**
 * The writing end of a process's stdin, which knows after the exit whether the process has read
 * everything. Linux tells the writer of a socket that the reader has closed with bytes unread; the
 * pipes of Node do not report it, and neither do other systems.
 */
export class WatchedStdin {
  readonly stream: Writable;
  /** Resolves when no process holds the other end. */
  readonly isOver: Promise<void>;
  readonly #theirs: Socket;
  #leftUnread = false;

  constructor(ours: Socket, theirs: Socket) {
    this.stream = ours;
    this.#theirs = theirs;
    this.isOver = new Promise((resolve) => {
      ours.once('end', resolve);
      ours.once('close', () => resolve());
    });
    // The data was unread, or the other end closed before it was written.
    ours.once('error', () => {
      this.#leftUnread = true;
    });
    ours.resume();
  }

  /** The end for the process. */
  get theirs(): Socket {
    return this.#theirs;
  }

  /** True if some written data was never read; known when `isOver` has resolved. */
  get leftUnread(): boolean {
    return this.#leftUnread;
  }

  /**
   * Call when the process has its end. Our copy is closed, so that the exit of the process is seen.
   */
  handedOver(): void {
    this.#theirs.destroy();
  }

  /** Call when no process was started with it. */
  drop(): void {
    this.#theirs.destroy();
    this.stream.destroy();
  }
}

/**
 * Resolves with `undefined` if the system does not report unread data, or no socket is available.
 * Never rejects.
 */
export async function watchedStdin(): Promise<WatchedStdin | undefined> {
  if (process.platform !== 'linux') return undefined;
  let folder: string | undefined;
  try {
    // Private, so that no other user can connect.
    folder = await mkdtemp(path.join(tmpdir(), 'stdin-'));
    const [ours, theirs] = await connected(path.join(folder, 'stdin'));
    return new WatchedStdin(ours, theirs);
  } catch {
    return undefined;
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}

async function connected(place: string): Promise<readonly [ours: Socket, theirs: Socket]> {
  const server: Server = createServer({ pauseOnConnect: true });
  try {
    server.listen(place);
    await once(server, 'listening');
    const taken = new Promise<Socket>((resolve) => server.once('connection', resolve));
    // Half open: a write detects that the process has closed its end, as with any pipe.
    const ours = connect({ path: place, allowHalfOpen: true });
    await once(ours, 'connect');
    return [ours, await taken];
  } finally {
    server.close();
  }
}
