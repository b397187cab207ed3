import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Writable } from 'node:stream';

/**
 * A way to the stdin of a process that knows, when the process has ended, whether it has read what
 * was written. Linux tells the writer of a socket that the reader has closed with bytes unread;
 * the pipes of Node do not listen for it, and other systems do not tell.
 */
export class WatchedStdin {
  readonly stream: Writable;
  /** Resolves when nobody holds the other end any more. */
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
    // Unread, or closed before it was written.
    ours.once('error', () => {
      this.#leftUnread = true;
    });
    ours.resume();
  }

  /** For the process. */
  get theirs(): Socket {
    return this.#theirs;
  }

  /** Whether something was written that nobody has read; known when it is over. */
  get leftUnread(): boolean {
    return this.#leftUnread;
  }

  /** Only the process has the other end from here on, so that its end is seen. */
  handedOver(): void {
    this.#theirs.destroy();
  }

  /** Nothing was started with it. */
  drop(): void {
    this.#theirs.destroy();
    this.stream.destroy();
  }
}

/** `undefined` where the system does not tell, or lets us have no socket. Never rejects. */
export async function watchedStdin(): Promise<WatchedStdin | undefined> {
  if (process.platform !== 'linux') return undefined;
  let folder: string | undefined;
  try {
    // Private, so that nobody else is the one who connects.
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
    // Half open: that the process has closed its end is found out by writing, as with any pipe.
    const ours = connect({ path: place, allowHalfOpen: true });
    await once(ours, 'connect');
    return [ours, await taken];
  } finally {
    server.close();
  }
}
