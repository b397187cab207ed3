/**
 * Keeps indentation and runs of spaces of a text for a dialog. VS Code 1.110 renders each run as
 * one space, so the question would look different from what is sent.
 */
export function dialogText(text: string): string {
  return text.replaceAll(/^ | {2,}/gm, (spaces) => '\u00A0'.repeat(spaces.length));
}
