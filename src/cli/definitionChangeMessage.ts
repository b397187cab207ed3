import { assertNever } from '../core/errors';
import type { SchemaChange, SchemaSide } from '../core/schema/schemaChanges';
import type { DefinitionChange } from '../core/definitionChanges';
import { visibleText } from '../core/visibleText';

const maxChars = 400;

/** What changed about a tool, in a sentence; what stands in it may be longer than is shown. */
export function definitionChangeMessage(
  change: DefinitionChange,
  redact: (text: string) => string,
): string {
  return visibleText(redact(wordsOf(change)), maxChars);
}

function wordsOf(change: DefinitionChange): string {
  switch (change.kind) {
    case 'gone':
      return 'the tool is gone.';
    case 'new':
      return 'the tool is new.';
    case 'other':
      return 'its definition changed in what means nothing to a caller.';
    case 'unknown':
      return 'its definition changed; the lock file has a fingerprint alone, so it is not known how.';
    case 'text':
      return `its ${change.field} changed.`;
    case 'outputGone':
      return 'it declares no structured content any more.';
    case 'outputNew':
      return 'it declares structured content now.';
    case 'hint':
      return `its hints mean ${change.hint} ${change.now} now, and meant ${change.before}.`;
    case 'schema':
      return schemaWords(change.side, change);
    default:
      return assertNever(change);
  }
}

function schemaWords(side: SchemaSide, change: SchemaChange): string {
  const { code, pointer, keyword = '', before, now } = change;
  const place = placeOf(side, pointer);
  const isOfCaller = side === 'arguments';
  switch (code) {
    case 'propertyGone':
      return `${place} is gone.`;
    case 'propertyNew':
      return `${place} is new.`;
    case 'nowRequired':
      return isOfCaller ? `${place} is required now.` : `${place} is always there now.`;
    case 'noLongerRequired':
      return isOfCaller ? `${place} is optional now.` : `${place} may be absent now.`;
    case 'type':
      return `${place} has the type ${now ?? 'any'} now, and had ${before ?? 'any'}.`;
    case 'values':
      return `${place} is one of ${now ?? 'any values'} now, and was one of ${before ?? 'any values'}.`;
    case 'closed':
      return `${place} may have no other members any more.`;
    case 'opened':
      return `${place} may have other members now.`;
    case 'note':
      return `the ${keyword} of ${place} changed.`;
    case 'limit':
    case 'other':
      return `${keyword} of ${place} is ${now ?? 'not set'} now, and was ${before ?? 'not set'}.`;
    case 'tooMuch':
      return 'there is more than is compared.';
    default:
      return assertNever(code);
  }
}

function placeOf(side: SchemaSide, pointer: string): string {
  if (side === 'arguments') return pointer === '' ? 'the arguments' : `argument ${pointer}`;
  return pointer === '' ? 'the structured content' : `field ${pointer} of the structured content`;
}
