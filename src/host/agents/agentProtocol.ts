import { isObject } from '../../core/json/shapes';

/** What the bridge and the endpoint agree on. Another number: neither understands the other. */
export const bridgeProtocol = 'toolgate/1';

/** Behind it: nothing for all exposed servers in one, or a slash and the id of one, URI-encoded. */
export const endpointPath = '/mcp';

/** Below the folder that windows and bridge share. */
export const windowsFolderName = 'windows';

/** A window that serves agents, as it is written down for the bridge. Holds a secret: mode 0600. */
export interface AgentWindow {
  readonly protocol: string;
  /** Of the process that serves. */
  readonly pid: number;
  /** Path of the socket, or name of the pipe. */
  readonly socket: string;
  readonly token: string;
  /** Paths of the folders of its workspace. */
  readonly folders: readonly string[];
  /** Epoch ms. */
  readonly startedAt: number;
}

/** More is no file of ours. */
export const maxWindowBytes = 64 * 1024;
const maxFolders = 200;

/** The record of a window that this text holds; `undefined` for what is none. Never throws. */
export function parseWindow(text: string): AgentWindow | undefined {
  const value = parsed(text);
  if (!isObject(value)) return undefined;
  const { protocol, pid, socket, token, folders, startedAt } = value;
  if (typeof protocol !== 'string' || typeof socket !== 'string' || typeof token !== 'string') {
    return undefined;
  }
  if (!Number.isInteger(pid) || typeof startedAt !== 'number' || !Array.isArray(folders)) {
    return undefined;
  }
  const paths = folders.filter((each): each is string => typeof each === 'string');
  const shown = paths.slice(0, maxFolders);
  return { protocol, pid: Number(pid), socket, token, folders: shown, startedAt };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Where the tools of one server are, or of all of them. */
export function pathOfServer(server: string | undefined): string {
  return server === undefined ? endpointPath : `${endpointPath}/${encodeURIComponent(server)}`;
}

/** What a path of {@link pathOfServer} stands for; `undefined` for any other. */
export function serverOfPath(path: string): { readonly server?: string } | undefined {
  if (path === endpointPath) return {};
  const [start, encoded, ...rest] = [
    path.slice(0, endpointPath.length),
    ...path.split('/').slice(2),
  ];
  if (start !== endpointPath || encoded === undefined || rest.length > 0) return undefined;
  try {
    return encoded === '' ? undefined : { server: decodeURIComponent(encoded) };
  } catch {
    return undefined;
  }
}
