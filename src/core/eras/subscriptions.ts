import { Subscription } from './subscription';
import type { SubscriptionOptions, SubscriptionWiring } from './subscription';
import { isObject } from '../json/shapes';
import { subscriptionIdKey } from './statelessMeta';

export interface SubscriptionsOptions extends SubscriptionWiring {
  /** Whether what comes on a stream of its own may lack the id of its subscription. */
  readonly isHttp: boolean;
}

/** All subscriptions of one connection: hands each what is its own, and drops the rest. */
export class Subscriptions {
  readonly #options: SubscriptionsOptions;
  readonly #all = new Set<Subscription>();
  readonly #warned = new Set<string>();

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
  }

  /** `meta` in place of that of the connection. */
  open(
    wish: Omit<SubscriptionOptions, keyof SubscriptionWiring> &
      Partial<Pick<SubscriptionWiring, 'meta'>>,
  ): Subscription {
    for (const ended of this.#all) if (ended.isOver) this.#all.delete(ended);
    const subscription = new Subscription({ ...this.#options, ...wish });
    this.#all.add(subscription);
    return subscription;
  }

  /** A notification that may be for one of them. */
  take(method: string, params: unknown): void {
    const open = [...this.#all].filter(({ isOver }) => !isOver);
    if (open.length === 0) return;
    if (method === 'notifications/cancelled') {
      // Any other id is none of ours.
      const id = isObject(params) ? params.requestId : undefined;
      if (id !== undefined) open.find((each) => each.id === id)?.cancelledByServer();
      return;
    }
    const isAcknowledgement = method === 'notifications/subscriptions/acknowledged';
    const meant = this.#meant(open, params);
    const takers = meant?.filter((each) =>
      isAcknowledgement ? each.isWaiting || meant.length === 1 : each.wants(method),
    );
    const [first] = takers ?? [];
    if (meant === undefined) this.#warnOnce(method, 'of an unknown subscription');
    // A kind that we did not ask for.
    else if (first === undefined) this.#warnOnce(method, 'that was not asked for');
    else if (isAcknowledgement) first.acknowledge(params);
    else for (const each of takers ?? []) each.take(method, params);
  }

  dispose(): void {
    for (const subscription of this.#all) subscription.dispose();
    this.#all.clear();
  }

  /** Those that a notification may be for; `undefined` for one that is of no subscription of ours. */
  #meant(open: readonly Subscription[], params: unknown): readonly Subscription[] | undefined {
    const { _meta: meta } = isObject(params) ? params : {};
    const id = isObject(meta) ? meta[subscriptionIdKey] : undefined;
    if (id === undefined) return this.#options.isHttp ? open : undefined;
    // With its type.
    const found = open.filter((each) => each.id === id);
    return found.length === 0 ? undefined : found;
  }

  #warnOnce(method: string, why: string): void {
    if (this.#warned.has(why)) return;
    this.#warned.add(why);
    this.#options.log.warn(`dropped ${method.slice(0, 100)} ${why}`);
  }
}
