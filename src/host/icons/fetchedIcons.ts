import { dropOldest } from '../../core/bounds/dropOldest';
import { showableIcon, type ShowableIcon } from '../../core/icons/showableIcon';
import { fetchableIcons, fetchIcon, type IconAddress } from '../../core/icons/fetchIcon';
import type { Icon } from '../../core/types';
import type { IconCache } from './iconCache';

const timeoutMs = 5_000;
/** What failed is not asked for at every look. */
const retryAfterMs = 10 * 60_000;
const maxFailures = 500;

/** Icons of servers that do not come along with their lists: from the cache, or fetched once. */
export class FetchedIcons {
  readonly #cache: Pick<IconCache, 'get' | 'put'>;
  /** By address. */
  readonly #underWay = new Map<string, Promise<ShowableIcon | undefined>>();
  /** When, in ms of the monotonic clock, oldest first. */
  readonly #failedAt = new Map<string, number>();

  constructor(cache: Pick<IconCache, 'get' | 'put'>) {
    this.#cache = cache;
  }

  /** The best of them that may be fetched and can be drawn; never rejects. */
  async iconOf(
    icons: readonly Icon[] | undefined,
    theme: 'light' | 'dark',
    serverUrl: string,
  ): Promise<ShowableIcon | undefined> {
    for (const address of fetchableIcons(icons, theme, serverUrl)) {
      const icon = await this.#joined(address);
      if (icon !== undefined) return icon;
    }
    return undefined;
  }

  #joined(address: IconAddress): Promise<ShowableIcon | undefined> {
    const { href } = address.url;
    const ongoing = this.#underWay.get(href);
    if (ongoing !== undefined) return ongoing;
    const icon = this.#get(address).finally(() => this.#underWay.delete(href));
    this.#underWay.set(href, icon);
    return icon;
  }

  async #get(address: IconAddress): Promise<ShowableIcon | undefined> {
    const { href } = address.url;
    const failedAt = this.#failedAt.get(href);
    if (failedAt !== undefined && performance.now() - failedAt < retryAfterMs) return undefined;
    const cached = await this.#cache.get(href);
    const known = cached && showableIcon(cached);
    if (known !== undefined) return known;
    const bytes = await fetchIcon(address, timeoutMs);
    if (bytes === undefined) {
      this.#failed(href);
      return undefined;
    }
    await this.#cache.put(href, bytes);
    return showableIcon(bytes);
  }

  #failed(href: string): void {
    this.#failedAt.delete(href);
    this.#failedAt.set(href, performance.now());
    dropOldest(this.#failedAt, maxFailures);
  }
}
