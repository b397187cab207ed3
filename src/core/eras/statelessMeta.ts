import { clientCapabilities } from './clientCapabilities';
import type { EraContext } from './era';
import type { JsonObject } from '../json/jsonValue';
import { tasksExtension } from '../parse/parseResults';
import type { RequestParams } from '../rpc/rpc';
import { statelessRevisions } from '../types';

const prefix = 'io.modelcontextprotocol/';
export const serverInfoKey = `${prefix}serverInfo`;
export const subscriptionIdKey = `${prefix}subscriptionId`;

/** The one stateless revision that we speak. */
export const statelessRevision = statelessRevisions[0];

/** `_meta` of the requests of one connection. */
export interface RequestMeta {
  readonly usual: RequestParams;
  /** Of requests that a server may answer with a task, and of those about tasks. */
  readonly ofTasks: RequestParams;
}

/**
 * `_meta` of every request of the stateless era: the server keeps nothing of earlier ones. Made
 * once for a connection, because nothing in it changes.
 */
export function requestMeta({ clientInfo, input, logLevel }: EraContext): RequestMeta {
  const capabilities = clientCapabilities(input, statelessRevision);
  const withCapabilities = (declared: JsonObject): RequestParams =>
    Object.freeze({
      [`${prefix}protocolVersion`]: statelessRevision,
      [`${prefix}clientInfo`]: clientInfo,
      [`${prefix}clientCapabilities`]: declared,
      ...(logLevel === undefined ? {} : { [`${prefix}logLevel`]: logLevel }),
    });
  return {
    usual: withCapabilities(capabilities),
    ofTasks: withCapabilities({ ...capabilities, extensions: { [tasksExtension]: {} } }),
  };
}
