import { clientCapabilities } from './clientCapabilities';
import type { EraContext } from './era';
import type { RequestParams } from '../rpc/rpc';
import { statelessRevisions } from '../types';

const prefix = 'io.modelcontextprotocol/';
export const serverInfoKey = `${prefix}serverInfo`;
export const subscriptionIdKey = `${prefix}subscriptionId`;

/** The one stateless revision that we speak. */
export const statelessRevision = statelessRevisions[0];

/**
 * `_meta` of every request of the stateless era: the server keeps nothing of earlier ones. Made
 * once for a connection, because nothing in it changes.
 */
export function requestMeta({ clientInfo, input, logLevel }: EraContext): RequestParams {
  return Object.freeze({
    [`${prefix}protocolVersion`]: statelessRevision,
    [`${prefix}clientInfo`]: clientInfo,
    [`${prefix}clientCapabilities`]: clientCapabilities(input, statelessRevision),
    ...(logLevel === undefined ? {} : { [`${prefix}logLevel`]: logLevel }),
  });
}
