import type { SubscriptionTimes } from './subscription';
import type { MessageLimits } from '../rpc/messageLimits';
import type { RpcLimits } from '../rpc/pendingRequests';

export interface ConnectionLimits extends RpcLimits, SubscriptionTimes, MessageLimits {
  /**
   * From the start of the process, if there is one, to the end of the handshake. Excludes the time
   * in which a package manager installs the server.
   */
  readonly startTimeoutMs: number;
  /** Limits the installation time that is excluded in one start. */
  readonly installTimeoutMs: number;
  /**
   * Limits the probe for the server's era. Only a server that does not answer the probe takes this
   * long, and only once, because its era is remembered; one that is still being downloaded is
   * detected later.
   */
  readonly probeTimeoutMs: number;
}

export const defaultLimits: ConnectionLimits = {
  // The largest answer that the product supports, which is half of the longest string of the
  // engine.
  maxMessageBytes: 256 * 1024 * 1024,
  // The engine parses this many in a quarter of a second, whatever they are.
  maxMessageValues: 500_000,
  startTimeoutMs: 30_000,
  // Enough to download a browser or a model over a slow connection.
  installTimeoutMs: 600_000,
  probeTimeoutMs: 8_000,
  requestTimeoutMs: 60_000,
  // Ten minutes. Long work reports progress, but endless reports have to end too.
  callCeilingMs: 600_000,
  subscriptionAckMs: 10_000,
  subscriptionRetryMs: 1_000,
};
