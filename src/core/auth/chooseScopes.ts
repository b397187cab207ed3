import type { BearerChallenge } from './challenges';
import type { OAuthConfiguration } from './ports';
import type { ServerMetadata } from './serverMetadata';

const offline = 'offline_access';

export interface ScopeChoice {
  readonly challenge: BearerChallenge | undefined;
  /** The scopes that the server lists in its resource metadata. */
  readonly listed: readonly string[] | undefined;
  readonly configuration: OAuthConfiguration;
  readonly server: ServerMetadata;
  /** Scopes that were requested before; used in a step-up. */
  readonly askedBefore: readonly string[];
  readonly isStepUp: boolean;
}

/**
 * Chooses the scopes to request: those of the challenge, or else all that the server lists, or else
 * none. A step-up adds those requested before. `offline_access` is added
 * if the authorization server supports it, but never alone, because that would narrow what
 * the server grants by default.
 */
export function chooseScopes(choice: ScopeChoice): readonly string[] {
  const { challenge, listed, configuration, server, askedBefore, isStepUp } = choice;
  const challenged = challenge?.scopes;
  const wanted = challenged ?? listed ?? [];
  if (!isStepUp && configuration.scopes !== undefined) return [...new Set(configuration.scopes)];
  const scopes = new Set(isStepUp ? [...askedBefore, ...wanted] : wanted);
  const isMeant = challenged?.includes(offline) === true || askedBefore.includes(offline);
  const isKnown = server.scopes_supported?.includes(offline) === true;
  if (!isMeant) scopes.delete(offline);
  if (isKnown && scopes.size > 0) scopes.add(offline);
  return [...scopes];
}
