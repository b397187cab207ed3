import type { McpError, McpErrorCode, McpErrorFacts, TimeLimitSource } from '../../core/errors';
import {
  byMember,
  errorCode,
  number,
  oneOf,
  optional,
  shape,
  string,
  yes,
  type Parser,
} from '../../core/parse/parsers';

/** Why a call failed, as far as its sentence needs it. */
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
  hadNoEffect: optional(yes),
  timeLimit: optional(parseTimeLimit),
  outcomeUnknown: optional(yes),
});

export const parsePastError: Parser<PastError> = shape({ code: errorCode, facts: parseFacts });

const maxDetailChars = 2_000;
/** As much of a text is searched for secrets: a text of any length must not hold the extension host. */
const maxSearchedChars = 128 * 1024;
/** What a secret is looked for by is never longer: `formsOf` takes long ones apart. */
const maxFormChars = 4 * 1024;

/**
 * The facts of an error that its sentence needs. What a program wrote to stderr is left out, and with
 * `hasSecrets` what a server said, too: it may repeat what it was given.
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

/** Cut after it was searched: of a secret across the cut, half would stay and not be known again. */
function cutRedacted(text: string, redact: (text: string) => string): string {
  const redacted = redact(text.slice(0, maxSearchedChars));
  // Neither is what begins at the end of what was searched.
  const unsureChars = text.length > maxSearchedChars ? maxFormChars : 0;
  return redacted.slice(0, Math.max(0, redacted.length - unsureChars)).slice(0, maxDetailChars);
}
