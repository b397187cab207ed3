import { isObject } from '../../core/json/shapes';
import {
  list,
  number,
  parseText,
  shape,
  string,
  type Parsed,
  type Parser,
} from '../../core/parse/parsers';
import { visibleText } from '../../core/visibleText';

/** Version of the protocol between bridge and endpoint. Both refuse another version. */
export const bridgeProtocol = 'toolgate/1';

/**
 * Path of the endpoint for all exposed servers. For one server, a slash and its URI-encoded id
 * follow.
 */
const endpointPath = '/mcp';

/** Folder below the folder that windows and bridge share. */
export const windowsFolderName = 'windows';

const parsePid: Parser<number> = (value) => (Number.isInteger(value) ? Number(value) : undefined);

/**
 * A window that serves agents, as published for the bridge. Holds a secret, so its file has mode
 * 0600.
 */
const parseRecord = shape({
  protocol: string,
  /** Id of the serving process. */
  pid: parsePid,
  /** Path of the socket, or name of the pipe. */
  socket: string,
  token: string,
  /** Paths of the workspace folders. */
  folders: list(string),
  /** Milliseconds since the epoch. */
  startedAt: number,
});
export type AgentWindow = Parsed<typeof parseRecord>;

/** Larger files were not written by Toolgate. */
export const maxWindowBytes = 64 * 1024;

/** Parses the record of a window; returns `undefined` for any other text. Never throws. */
export function parseWindow(text: string): AgentWindow | undefined {
  return parseText(text, parseRecord);
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
