import type { Disposable } from 'vscode-jsonrpc/node';

/** Announcements within this time lead to one listing. */
const quietMs = 300;
/** Maximum delay of a listing while announcements keep coming. */
const latestMs = 2_000;
/** An announcement this soon after a listing counts as caused by it. */
const soonMs = 1_000;
/** The longest pause before a listing, for a server that announces a change after each. */
const longestPauseMs = 10_000;
/** Number of listings in a row after which the user is notified. */
const toldReruns = 5;

/**
 * Lists on request, and when the server announces a change. A server that announces many changes,
 * or one after each listing, is asked only every few seconds.
 */
export class ListingSchedule implements Disposable {
  readonly #list: (isRefresh: boolean) => Promise<void>;
  #underWay: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #firstAnnouncedAt: number | undefined;
  /**
   * Number of listings in a row that were caused by an announcement during or right after the
   * previous one.
   */
  #rerunsInARow = 0;
  #endedAt = Number.NEGATIVE_INFINITY;
  #isDisposed = false;

  /** @param list makes failures known itself. `isRefresh`: it must not return a cached list. */
  constructor(list: (isRefresh: boolean) => Promise<void>) {
    this.#list = list;
  }

  /** The listing in progress. */
  get underWay(): Promise<void> | undefined {
    return this.#underWay;
  }

  /** True if the server announced a change after each of the last listings. */
  get isAlwaysChanging(): boolean {
    return this.#rerunsInARow >= toldReruns;
  }

  /** Lists, or joins the listing in progress. Rejects like the listing. */
  run(isRefresh: boolean): Promise<void> {
    if (this.#underWay !== undefined) return this.#underWay;
    if (this.#firstAnnouncedAt === undefined) this.#rerunsInARow = 0;
    // Changes announced until now are included in the coming list.
    this.#forgetAnnouncements();
    this.#underWay = this.#list(isRefresh).finally(() => {
      this.#underWay = undefined;
      this.#endedAt = Date.now();
      // A change was announced meanwhile, so the list may be out of date: list once more.
      if (this.#firstAnnouncedAt !== undefined) {
        this.#rerunsInARow += 1;
        this.#schedule();
      }
    });
    return this.#underWay;
  }

  /** Lists announced changes at once; resolves when none is pending. Never rejects. */
  async runAnnounced(): Promise<void> {
    await this.#underWay?.catch(() => undefined);
    // A change that was announced during that listing needs one more, which many callers share.
    if (this.#firstAnnouncedAt !== undefined || this.#underWay !== undefined) {
      await this.run(false).catch(() => undefined);
    }
  }

  /** Handles an announced change. Many announcements lead to one listing. */
  announceChange(): void {
    if (this.#isDisposed) return;
    const now = Date.now();
    if (this.#firstAnnouncedAt === undefined && this.#underWay === undefined) {
      this.#rerunsInARow = now - this.#endedAt < soonMs ? this.#rerunsInARow + 1 : 0;
    }
    this.#firstAnnouncedAt ??= now;
    // During a listing the change is only noted; the end of the listing handles it.
    if (this.#underWay === undefined) this.#schedule();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#forgetAnnouncements();
  }

  #forgetAnnouncements(): void {
    clearTimeout(this.#timer);
    this.#firstAnnouncedAt = undefined;
  }

  #schedule(): void {
    const waitedMs = Date.now() - (this.#firstAnnouncedAt ?? Date.now());
    // A server that announces a change at every listing is listed less and less often.
    const doubled = latestMs * 2 ** Math.min(this.#rerunsInARow - 2, 10);
    const pauseMs = this.#rerunsInARow > 1 ? Math.min(doubled, longestPauseMs) : quietMs;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => void this.run(false).catch(() => undefined),
      Math.max(0, Math.min(pauseMs, Math.max(latestMs, pauseMs) - waitedMs)),
    );
  }
}
