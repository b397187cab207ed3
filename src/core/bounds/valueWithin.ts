/** Resolves as `work` does, or with `undefined` when the time is over. @throws what `work` rejects with */
export async function valueWithin<T>(work: Promise<T>, timeoutMs: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeIsUp = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), timeoutMs);
  });
  try {
    return await Promise.race([work, timeIsUp]);
  } finally {
    clearTimeout(timer);
  }
}

/** Resolves with true if `event` resolves within the time. @throws what `event` rejects with */
export async function settlesWithin(event: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  return (
    (await valueWithin(
      event.then(() => true),
      timeoutMs,
    )) ?? false
  );
}
