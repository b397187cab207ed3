interface NamedFolder {
  readonly name: string;
  readonly path: string;
}

/**
 * Returns the name of a folder. If others of `all` have the same name, the shortest end of its path
 * that none of them has follows.
 */
export function folderLabel({ name, path }: NamedFolder, all: readonly NamedFolder[]): string {
  const others = all.filter((other) => other.name === name && other.path !== path);
  if (others.length === 0) return name;
  const { length } = stepsOf(path);
  for (let count = 1; count <= length; count += 1) {
    const end = endOf(path, count);
    if (others.every((other) => endOf(other.path, count) !== end)) return `${name} (${end})`;
  }
  return `${name} (${path})`;
}

function endOf(path: string, count: number): string {
  return stepsOf(path).slice(-count).join('/');
}

function stepsOf(path: string): readonly string[] {
  return path.split(/[\\/]/);
}
