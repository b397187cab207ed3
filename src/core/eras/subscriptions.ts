import { Subscription } from './subscription';
import type { SubscriptionOptions, SubscriptionWiring } from './subscription';
import { isObject } from '../json/shapes';
import { subscriptionIdKey } from './statelessMeta';

export interface SubscriptionsOptions extends SubscriptionWiring {
  /** True if notifications on a stream of their own may lack the subscription id. */
  readonly isHttp: boolean;
}

/** Dispatches notifications to the subscriptions of one connection, and drops the rest. */
export class Subscriptions {
  readonly #options: SubscriptionsOptions;
  readonly #all = new Set<Subscription>();
  readonly #warned = new Set<string>();

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
  }

  /** @param meta Replaces the `_meta` of the connection. */
  open(
    options: Omit<SubscriptionOptions, keyof SubscriptionWiring> &
      Partial<Pick<SubscriptionWiring, 'meta'>>,
  ): Subscription {
    for (const ended of this.#all) if (ended.isOver) this.#all.delete(ended);
    const subscription = new Subscription({ ...this.#options, ...options });
    this.#all.add(subscription);
    return subscription;
  }

  /** Handles a notification that may belong to a subscription. */
  take(method: string, params: unknown): void {
    const open = [...this.#all].filter(({ isOver }) => !isOver);
    if (open.length === 0) return;
    if (method === 'notifications/cancelled') {
      // Any other id is not ours.
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
    // This kind was not requested.
    else if (first === undefined) this.#warnOnce(method, 'that was not asked for');
    else if (isAcknowledgement) first.acknowledge(params);
    else for (const each of takers ?? []) each.take(method, params);
  }

  dispose(): void {
    for (const subscription of this.#all) subscription.dispose();
    this.#all.clear();
  }

  /** Returns the candidates for a notification, or `undefined` if it belongs to none of them. */
  #meant(open: readonly Subscription[], params: unknown): readonly Subscription[] | undefined {
    const { _meta: meta } = isObject(params) ? params : {};
    const id = isObject(meta) ? meta[subscriptionIdKey] : undefined;
    if (id === undefined) return this.#options.isHttp ? open : undefined;
    // Compared with its type.
    const found = open.filter((each) => each.id === id);
    return found.length === 0 ? undefined : found;
  }

  #warnOnce(method: string, why: string): void {
    if (this.#warned.has(why)) return;
    this.#warned.add(why);
    this.#options.log.warn(`dropped ${method.slice(0, 100)} ${why}`);
  }
}
