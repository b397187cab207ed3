import { McpError } from '../errors';
import type { Refusal } from '../http/requestAuthorization';
import type { TokenGrant } from './ports';

/** Limits the authorizations for one request, the first one included. */
const maxAuthorizations = 3;
const maxRemembered = 1_000;

/** Remembers which scopes were requested without success. */
export class StepUps {
  readonly #asked = new Set<string>();
  readonly #failed = new Set<string>();

  /**
   * Records a step-up. Scopes that were granted and are still demanded for the same operation are
   * not requested again.
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

  /** Called after a new sign-in, which may grant other scopes. */
  forget(): void {
    this.#asked.clear();
    this.#failed.clear();
  }

  #remember(wishes: Set<string>, wish: string): void {
    if (wishes.size >= maxRemembered) wishes.clear();
    wishes.add(wish);
  }
}
