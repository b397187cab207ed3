/** Returns the code of an error of the operating system, for example `ENOENT`. */
export function systemErrorCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** Returns true if there is no such file or folder. */
export function isNotFound(error: unknown): boolean {
  return systemErrorCode(error) === 'ENOENT';
}

/**
 * Returns an error handler that returns `value` for a missing file or folder, and rethrows other
 * errors.
 */
export function ifNotFound<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (isNotFound(error)) return value;
    throw error;
  };
}
