import { AuthorizationResponseError, ResponseBodyError } from 'oauth4webapi';
import { McpError } from '../errors';
import type { SignInStep } from '../errors';

const maxWords = 500;

/**
 * Describes why a step failed, with the server's own message if it sent one. Never includes what
 * was sent or the whole answer, which may contain a token.
 */
export function signInFailure(error: unknown, step: SignInStep, issuer?: string): McpError {
  if (error instanceof McpError) return error;
  return new McpError('signInFailed', {
    signInStep: step,
    detail: wordsOf(error).slice(0, maxWords),
    ...(issuer === undefined ? {} : { issuer: issuer.slice(0, 2_000) }),
  });
}

/** Returns the `error` code of an answer, such as `invalid_grant`. */
export function oauthCode(error: unknown): string | undefined {
  return isAnswer(error) ? error.error : undefined;
}

function wordsOf(error: unknown): string {
  if (isAnswer(error)) {
    const { error: code, error_description: description } = error;
    return description === undefined ? code : `${code}: ${description}`;
  }
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Response ? `${error.message} (${cause.status})` : error.message;
}

function isAnswer(error: unknown): error is ResponseBodyError | AuthorizationResponseError {
  return error instanceof ResponseBodyError || error instanceof AuthorizationResponseError;
}
