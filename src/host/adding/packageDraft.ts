import { plainDraft, type ServerDraft } from './draft';
import { shortName } from './programDraft';

export type PackageKind = 'npm' | 'pypi' | 'docker' | 'nuget';

const npmName = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*(?:@[\w.^~*<>=|-]+)?$/i;
const pypiName = /^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?(?:\[[\w,-]+\])?(?:(?:==|@)[\w.*+!-]+)?$/i;
const dockerName =
  /^(?:[a-z0-9.-]+(?::\d+)?\/)?[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*)*(?::\w[\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$/;

/** Names are shorter; what is longer is something else. */
const maxNameChars = 214;

/** Whether the text can be the name of such a package; nobody is asked whether there is one. */
export function isPackageName(kind: PackageKind, text: string): boolean {
  if (text.length > maxNameChars) return false;
  const pattern = { npm: npmName, pypi: pypiName, docker: dockerName, nuget: pypiName }[kind];
  return pattern.test(text);
}

/** How a package is started that nobody has installed: `npx -y`, `uvx`, `docker run -i --rm`, `dnx`. */
export function packageDraft(kind: PackageKind, name: string): ServerDraft {
  return plainDraft(
    {
      npm: { command: 'npx', args: ['-y', name] },
      pypi: { command: 'uvx', args: [name.replace('==', '@')] },
      docker: { command: 'docker', args: ['run', '-i', '--rm', name] },
      nuget: { command: 'dnx', args: [name, '--yes'] },
    }[kind],
    shortName(name),
  );
}
