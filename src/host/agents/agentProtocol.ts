import { isObject } from '../../core/json/shapes';
import { visibleText } from '../../core/visibleText';

/** Version of the protocol between bridge and endpoint. Both refuse another version. */
export const bridgeProtocol = 'toolgate/1';

/**
 * Path of the endpoint for all exposed servers. For one server, a slash and its URI-encoded id
 * follow.
 */
export const endpointPath = '/mcp';

/** Folder below the folder that windows and bridge share. */
export const windowsFolderName = 'windows';

/**
 * A window that serves agents, as published for the bridge. Holds a secret, so its file has mode
 * 0600.
 */
export interface AgentWindow {
  readonly protocol: string;
  /** Id of the serving process. */
  readonly pid: number;
  /** Path of the socket, or name of the pipe. */
  readonly socket: string;
  readonly token: string;
  /** Paths of the workspace folders. */
  readonly folders: readonly string[];
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

/** Larger files were not written by Toolgate. */
export const maxWindowBytes = 64 * 1024;
const maxFolders = 200;

/** Parses the record of a window; returns `undefined` for any other text. Never throws. */
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

/** Returns the path of one server's tools, or of all servers. */
export function serverPath(server: string | undefined): string {
  return server === undefined ? endpointPath : `${endpointPath}/${encodeURIComponent(server)}`;
}

/** Returns what a path of {@link serverPath} refers to, or `undefined` for any other path. */
export function serverFromPath(path: string): { readonly server?: string } | undefined {
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

/** The client name that Toolgate sends to servers. */
export const ownClientName = 'toolgate';

/**
 * Returns true if the client is Toolgate itself: it has started its own bridge as a server, which
 * would list its own tools to itself in a loop. In both eras the first request names the client.
 */
export function isOwnRequest({ params }: { readonly params?: unknown }): boolean {
  if (!isObject(params)) return false;
  const { clientInfo, _meta: meta } = params;
  const told = isObject(meta) ? meta['io.modelcontextprotocol/clientInfo'] : undefined;
  return [clientInfo, told].some((each) => isObject(each) && each.name === ownClientName);
}

/** Longer names are cut. */
const maxClientChars = 60;

/** Returns the client name in a request of the stateless era. It is only a claim. */
export function clientNameOf(meta: unknown): string {
  return clientDisplayName(isObject(meta) ? meta['io.modelcontextprotocol/clientInfo'] : undefined);
}

/** Returns the `name` of a client info object, made safe to display. */
export function clientDisplayName(told: unknown): string {
  const name = isObject(told) && typeof told.name === 'string' ? told.name.trim() : '';
  return visibleText(name === '' ? '?' : name, maxClientChars);
}
