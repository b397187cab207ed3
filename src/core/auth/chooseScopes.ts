import type { BearerChallenge } from './challenges';
import type { OAuthConfiguration } from './ports';
import type { ServerMetadata } from './serverMetadata';

const offline = 'offline_access';

export interface ScopeChoice {
  readonly challenge: BearerChallenge | undefined;
  /** What the server lists for itself. */
  readonly listed: readonly string[] | undefined;
  readonly configuration: OAuthConfiguration;
  readonly server: ServerMetadata;
  /** What was asked for before, in a step-up. */
  readonly askedBefore: readonly string[];
  readonly isStepUp: boolean;
}

/**
 * The scopes to ask for: those of the challenge, without it all that the server lists, without that
 * none; in a step-up those that were asked for before, too. `offline_access`
 * where the authorization server knows it, but never alone: that would narrow what the server
 * gives to whoever asks for nothing.
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
