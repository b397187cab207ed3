/** Waits for all of them before it throws what the first one threw. */
export async function settleAll(works: readonly Promise<unknown>[]): Promise<void> {
  const settled = await Promise.allSettled(works);
  const failed = settled.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}
