/**
 * How one question of several was left. `skipped`: there was nothing to ask, so that Back does not
 * stop there either.
 */
export type StepEnd = 'next' | 'back' | 'cancel' | 'skipped';

/** Asks one question. `hasBack`: there is one before it to go back to. */
export type Turn = (hasBack: boolean) => Promise<StepEnd>;

export interface InTurnOptions {
  /** Whether something was asked before these, which Back at the first of them leads to. */
  readonly hasBefore?: boolean;
}

/**
 * Asks one question after the other; Back asks the one before again, which shows what was answered.
 * `next` when all are answered, `cancel` as soon as one is closed, `back` when the person went back
 * beyond the first.
 */
export async function askInTurn(
  steps: readonly Turn[],
  { hasBefore = false }: InTurnOptions = {},
): Promise<Exclude<StepEnd, 'skipped'>> {
  const asked: number[] = [];
  let index = 0;
  for (;;) {
    const step = steps[index];
    if (step === undefined) return 'next';
    const end = await step(hasBefore || asked.length > 0);
    if (end === 'cancel') return 'cancel';
    if (end === 'next') asked.push(index);
    const before = end === 'back' ? asked.pop() : index + 1;
    if (before === undefined) return 'back';
    index = before;
  }
}
