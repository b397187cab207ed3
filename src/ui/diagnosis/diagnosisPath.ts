import { hash } from 'node:crypto';
import { sentencesName } from '../../core/content/documentNames';

const maxNameChars = 60;
const keyChars = 12;

/** Returns the path of the document of a server: its own, although its name can be that of others. */
export function diagnosisPath(serverId: string): string {
  const name = serverId.replaceAll(/[^\w.-]+/g, '_').slice(0, maxNameChars);
  return `/${hash('sha256', serverId).slice(0, keyChars)}/${sentencesName(name, 'server')}`;
}
