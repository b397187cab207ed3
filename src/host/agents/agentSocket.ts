import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { McpError } from '../../core/errors';

/** Of the systems that have sockets as files, the one with the least room, without the last zero. */
const maxSocketBytes = 103;
const nameBytes = 16;

/** A place where nobody but the user can connect. */
export interface AgentSocket {
  /** What to listen on. */
  readonly path: string;
  /** Takes it away again, after the server was closed. */
  remove(): Promise<void>;
}

/**
 * Listens in a folder of its own that only the user may enter, on a socket that only they may
 * connect to; on Windows on a pipe with a name that nobody can guess. Not in the storage of the
 * extension, whose path may be longer than that of a socket can be.
 * @param folder where to make it. Default: that of the system for temporary files
 * @throws {McpError} invalidConfiguration, its detail a sentence, when the path is too long
 * @throws what the system throws
 */
export async function listenLocally(server: Server, folder = tmpdir()): Promise<AgentSocket> {
  const name = `toolgate-${randomBytes(nameBytes).toString('hex')}`;
  if (process.platform === 'win32') {
    const pipe = `\\\\.\\pipe\\${name}`;
    await listen(server, pipe);
    return { path: pipe, remove: () => Promise.resolve() };
  }
  // Made with mode 0700.
  const own = await mkdtemp(path.join(await realpath(folder), 'toolgate'));
  const remove = (): Promise<void> => rm(own, { recursive: true, force: true });
  const socket = path.join(own, 'gate.sock');
  try {
    const bytes = Buffer.byteLength(socket);
    if (bytes > maxSocketBytes) {
      const detail = `The path of the socket for agents has ${bytes} bytes, and ${maxSocketBytes} is the most that systems take: ${socket}. Set TMPDIR to a shorter folder.`;
      throw new McpError('invalidConfiguration', { detail, limit: maxSocketBytes });
    }
    await listen(server, socket);
    await chmod(socket, 0o600);
  } catch (error) {
    await remove();
    throw error;
  }
  return { path: socket, remove };
}

function listen(server: Server, where: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(where, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
