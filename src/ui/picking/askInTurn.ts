/**
 * How a question of a sequence ended. `skipped` means that there was nothing to ask, so Back skips
 * it too.
 */
export type StepEnd = 'next' | 'back' | 'cancel' | 'skipped';

/** Asks one question. `hasBack` is true if there is a question before it. */
export type Turn = (hasBack: boolean) => Promise<StepEnd>;

export interface InTurnOptions {
  /** True if Back at the first question leads to an earlier step. */
  readonly hasBefore?: boolean;
}

/**
 * Asks one question after the other. Back asks the previous question again, which shows its answer.
 * Returns `next` when all are answered, `cancel` as soon as one is closed, and `back` if the user
 * goes back beyond the first.
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
