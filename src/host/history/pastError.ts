import type { McpError, McpErrorCode, McpErrorFacts, TimeLimitSource } from '../../core/errors';
import {
  byMember,
  errorCode,
  number,
  oneOf,
  optional,
  shape,
  string,
  literalTrue,
  type Parser,
} from '../../core/parse/parsers';

/** The parts of an error that its sentence needs. */
export interface PastError {
  readonly code: McpErrorCode;
  readonly facts: McpErrorFacts;
}

const limitKind = oneOf('default', 'ceiling', 'call');
const parseTimeLimit = byMember<TimeLimitSource>('kind', {
  default: shape({ kind: limitKind }),
  ceiling: shape({ kind: limitKind }),
  call: shape({ kind: limitKind }),
  own: shape({ kind: oneOf('own'), key: string }),
});

const parseFacts = shape({
  detail: optional(string),
  rpcCode: optional(number),
  exitCode: optional(number),
  signal: optional(string),
  limit: optional(number),
  measure: optional(oneOf('values', 'levels', 'lines')),
  httpStatus: optional(number),
  hadNoEffect: optional(literalTrue),
  timeLimit: optional(parseTimeLimit),
  outcomeUnknown: optional(literalTrue),
});

export const parsePastError: Parser<PastError> = shape({ code: errorCode, facts: parseFacts });

const maxDetailChars = 2_000;
/** Characters that are searched for secrets. Longer texts must not block the extension host. */
const maxSearchedChars = 128 * 1024;
/** Maximum length of a form of a secret, because `formsOf` splits long ones. */
const maxFormChars = 4 * 1024;

/**
 * Returns the facts of an error that its sentence needs. Stderr is left out, and so are server
 * texts if `hasSecrets` is true, because they may repeat the arguments.
 */
export function toPastError(
  { code, facts }: McpError,
  hasSecrets: boolean,
  redact: (text: string) => string,
): PastError {
  const said = hasSecrets ? undefined : facts.detail;
  const detail = said === undefined ? undefined : cutRedacted(said, redact);
  return { code, facts: parseFacts({ ...facts, detail }) ?? {} };
}

/** Cuts after searching, because half a secret at the cut would not be recognized. */
function cutRedacted(text: string, redact: (text: string) => string): string {
  const redacted = redact(text.slice(0, maxSearchedChars));
  // A secret may also begin at the end of the searched part.
  const unsureChars = text.length > maxSearchedChars ? maxFormChars : 0;
  return redacted.slice(0, Math.max(0, redacted.length - unsureChars)).slice(0, maxDetailChars);
}
