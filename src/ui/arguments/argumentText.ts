import * as l10n from '@vscode/l10n';
import { optionalNames, toSkeleton } from '../../core/arguments/argumentsSkeleton';
import { mayHaveSecrets } from '../../core/arguments/argumentSecrets';
import type { JsonObject } from '../../core/json/jsonValue';
import { stringifyExactly } from '../../core/json/writtenNumber';
import { visibleText } from '../../core/visibleText';
import { unnamedSentence } from '../format/unnamedArguments';

const maxOptionalNames = 20;
const maxNameChars = 80;

/**
 * Returns the initial text of a document: the required properties with the values known so far. A
 * comment names the optional properties and warns that secrets are not masked.
 */
export function argumentsText(schema: JsonObject, known: JsonObject): string {
  const optional = optionalNames(schema).filter((name) => !Object.hasOwn(known, name));
  const shown = optional
    .slice(0, maxOptionalNames)
    .map((name) => visibleText(JSON.stringify(name), maxNameChars));
  const names = optional.length > shown.length ? [...shown, '…'] : shown;
  const skeleton = toSkeleton(schema);
  const isUnnamed = names.length === 0 && Object.keys({ ...skeleton, ...known }).length === 0;
  const unnamed = isUnnamed ? `// ${unnamedSentence()}\n` : '';
  const comment =
    names.length === 0 ? unnamed : `// ${l10n.t('Optional: {0}', names.join(', '))}\n`;
  // A document masks nothing, so the comment warns about it.
  const secrets = mayHaveSecrets(schema)
    ? `// ${l10n.t('Secrets are plain text here. They are not kept and start empty.')}\n`
    : '';
  return `${comment}${secrets}${stringifyExactly({ ...skeleton, ...known }, 2)}\n`;
}
