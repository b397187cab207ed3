const maxNameChars = 60;

/** A tool's name as part of a document's path: plain letters, so that it hides nothing. */
export function toFileName(toolName: string): string {
  const plain = toolName.replaceAll(/[^A-Za-z0-9_.-]+/g, '_').replaceAll(/^[._]+|[._]+$/g, '');
  return plain.slice(0, maxNameChars) || 'tool';
}
