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
  httpStatus: optional(number),
  hadNoEffect: optional(yes),
  timeLimit: optional(parseTimeLimit),
  outcomeUnknown: optional(yes),
});

export const parsePastError: Parser<PastError> = shape({ code: errorCode, facts: parseFacts });

const maxDetailChars = 2_000;
/** As much of a text is searched for secrets: a text of any length must not hold the extension host. */
const maxSearchedChars = 128 * 1024;

/**
 * The facts of an error that its sentence needs. What a program wrote to stderr is left out, and with
 * `hasSecrets` what a server said, too: it may repeat what it was given.
 */
export function toPastError(
  { code, facts }: McpError,
  hasSecrets: boolean,
  redact: (text: string) => string,
): PastError {
  const said = hasSecrets ? undefined : facts.detail?.slice(0, maxSearchedChars);
  // Cut only now: of a secret that stands across the cut, half would stay and not be known again.
  const detail = said === undefined ? undefined : redact(said).slice(0, maxDetailChars);
  return { code, facts: parseFacts({ ...facts, detail }) ?? {} };
}
