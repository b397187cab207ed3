import type { ServerConfig } from './serverConfig';

/**
 * What a server is known by over restarts and changes of its configuration: where it is configured,
 * and its id there. Two servers of one name in different files or folders are two. Plain text, but
 * no name for a file.
 */
export function serverKey({ id, source }: Pick<ServerConfig, 'id' | 'source'>): string {
  const place = [
    ...('folder' in source ? [source.folder] : []),
    ...('path' in source ? [source.path] : []),
  ];
  // JSON, because paths and ids may hold any separator.
  return JSON.stringify([source.kind, ...place, id]);
}
