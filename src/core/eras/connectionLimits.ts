import type { SubscriptionTimes } from './subscription';
import type { MessageLimits } from '../rpc/messageLimits';
import type { RpcLimits } from '../rpc/pendingRequests';

export interface ConnectionLimits extends RpcLimits, SubscriptionTimes, MessageLimits {
  /**
   * From the start of the process, if there is one, to the end of the handshake, without the time in
   * which a package manager installs what is to run.
   */
  readonly startTimeoutMs: number;
  /** How much of that time may be left out in one start. */
  readonly installTimeoutMs: number;
  /**
   * For the answer to the question which era a server speaks. Only a server that stays silent
   * when it is asked costs this whole time, and only once, because its era is remembered; one
   * that is still being downloaded is found out later.
   */
  readonly probeTimeoutMs: number;
}

export const defaultLimits: ConnectionLimits = {
  // The largest answer that the product promises to show, and half of what one string of the engine
  // can hold.
  maxMessageBytes: 256 * 1024 * 1024,
  // What the engine parses in a quarter of a second, whatever the values are.
  maxMessageValues: 500_000,
  startTimeoutMs: 30_000,
  // A browser, or a model, over a slow line.
  installTimeoutMs: 600_000,
  probeTimeoutMs: 8_000,
  requestTimeoutMs: 60_000,
  // Ten minutes: long work reports progress; what reports it for ever has to end too.
  callCeilingMs: 600_000,
  subscriptionAckMs: 10_000,
  subscriptionRetryMs: 1_000,
};
