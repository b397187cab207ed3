const maxNameChars = 60;

/**
 * Returns a tool's name in plain letters for the path of a document, so that it cannot hide
 * anything.
 */
export function toFileName(toolName: string): string {
  const plain = toolName.replaceAll(/[^A-Za-z0-9_.-]+/g, '_').replace(/^[._]+/, '');
  // Only now, because a search for the end of a long name begins again at each character.
  return plain.slice(0, maxNameChars).replace(/[._]+$/, '') || 'tool';
}
