import { McpError } from '../errors';
import type { Refusal } from '../http/requestAuthorization';
import type { TokenGrant } from './ports';

/** Authorizations for one request, the first one included. */
const maxAuthorizations = 3;
const maxRemembered = 1_000;

/** Which rights were asked for in vain, for as long as the connections to the server have one owner. */
export class StepUps {
  readonly #asked = new Set<string>();
  readonly #failed = new Set<string>();

  /**
   * Rights that were given and are still wanted for the same operation are not asked for again.
   * @throws {McpError} scopeRefused
   */
  begin(
    { operation, attempt }: Refusal,
    { account, issuer }: TokenGrant,
    scopes: readonly string[],
  ): void {
    const wish = JSON.stringify([operation, issuer, account, scopes.toSorted()]);
    const isInVain = attempt > 0 && this.#asked.has(wish);
    if (isInVain) this.#remember(this.#failed, wish);
    if (this.#failed.has(wish) || attempt >= maxAuthorizations) {
      throw new McpError('scopeRefused', { scopes, issuer });
    }
    this.#remember(this.#asked, wish);
  }

  /** After a sign-in of its own everything may be different. */
  forget(): void {
    this.#asked.clear();
    this.#failed.clear();
  }

  #remember(wishes: Set<string>, wish: string): void {
    if (wishes.size >= maxRemembered) wishes.clear();
    wishes.add(wish);
  }
}
