/**
 * A text of several lines for a dialog, with its indentation and every other run of spaces as it is:
 * VS Code 1.110 draws one space for all of them in a dialog, so what is asked about would look
 * other than what is sent.
 */
export function dialogText(text: string): string {
  return text.replaceAll(/^ | {2,}/gm, (spaces) => '\u00A0'.repeat(spaces.length));
}
