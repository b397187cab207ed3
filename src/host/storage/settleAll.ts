/** Waits for all promises before it throws the first error. */
export async function settleAll(works: readonly Promise<unknown>[]): Promise<void> {
  const settled = await Promise.allSettled(works);
  const failed = settled.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}
