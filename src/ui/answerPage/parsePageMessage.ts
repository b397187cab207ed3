import { isObject } from '../../core/json/shapes';
import {
  answerVerbs,
  definitionVerbs,
  partVerbs,
  type FromPage,
  type HeadVerb,
} from '../../page/pageMessages';

const headVerbs: readonly HeadVerb[] = [...answerVerbs, ...definitionVerbs];

/**
 * Parses a message of the page and drops unknown members. Unknown messages are ignored, because any
 * code in a webview can send messages.
 */
export function parsePageMessage(message: unknown): FromPage | undefined {
  if (!isObject(message)) return undefined;
  const { type } = message;
  if (type === 'ready') return { type };
  if (type === 'headVerb') {
    const verb = headVerbs.find((each) => each === message['verb']);
    return verb && { type, verb };
  }
  const edition = countOf(message['edition']);
  if (edition === undefined) return undefined;
  if (type === 'blocks') {
    const from = countOf(message['from']);
    return from === undefined ? undefined : { type, edition, from };
  }
  const number = countOf(message['number']);
  return number === undefined ? undefined : parseOfPart(message, edition, number);
}

/** Parses a message about one part. */
function parseOfPart(
  message: Readonly<Record<string, unknown>>,
  edition: number,
  number: number,
): FromPage | undefined {
  const { type } = message;
  if (type === 'partVerb') {
    const verb = partVerbs.find((each) => each === message['verb']);
    return verb && { type, edition, number, verb };
  }
  if (type === 'bytes') {
    const offset = countOf(message['offset']);
    return offset === undefined ? undefined : { type, edition, number, offset };
  }
  if (type === 'link') {
    const link = countOf(message['link']);
    return link === undefined ? undefined : { type, edition, number, link };
  }
  return undefined;
}

function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
