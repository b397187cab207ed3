import { clientCapabilities, withTaskExtension } from './clientCapabilities';
import type { EraContext } from './era';
import type { JsonObject } from '../json/jsonValue';
import type { RequestParams } from '../rpc/rpc';
import { statelessRevisions } from '../types';

const prefix = 'io.modelcontextprotocol/';
export const serverInfoKey = `${prefix}serverInfo`;
export const subscriptionIdKey = `${prefix}subscriptionId`;

/** The only stateless revision that the client supports. */
export const statelessRevision = statelessRevisions[0];

/** `_meta` of the requests of one connection. */
export interface RequestMeta {
  readonly usual: RequestParams;
  /** For requests that may be answered with a task, and requests about tasks. */
  readonly ofTasks: RequestParams;
}

/**
 * `_meta` of every request of the stateless era, because the server keeps no state. Created once
 * per connection, since it does not change.
 */
export function requestMeta(context: EraContext): RequestMeta {
  const { clientInfo, logLevel } = context;
  const capabilities = clientCapabilities(context, statelessRevision);
  const withCapabilities = (declared: JsonObject): RequestParams =>
    Object.freeze({
      [`${prefix}protocolVersion`]: statelessRevision,
      [`${prefix}clientInfo`]: clientInfo,
      [`${prefix}clientCapabilities`]: declared,
      ...(logLevel === undefined ? {} : { [`${prefix}logLevel`]: logLevel }),
    });
  return {
    usual: withCapabilities(capabilities),
    ofTasks: withCapabilities(withTaskExtension(context, capabilities)),
  };
}
