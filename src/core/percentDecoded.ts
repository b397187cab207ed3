/** Decodes percent-encoded text. Text that is not well encoded is returned as it is. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
