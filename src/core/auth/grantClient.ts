import { methodFor } from './clientAuthentication';
import type { ClientRegistration, OAuthConfiguration, TokenGrant } from './ports';

/**
 * Returns the client that a grant was issued to, for later requests about the grant. A stored
 * registration is used only if it has the same id; if there is none and the id is not configured
 * either, the client had no secret.
 */
export function clientOfGrant(
  { issuer, clientId }: TokenGrant,
  registration: ClientRegistration | undefined,
  { clientId: configured, clientSecret, privateKey }: OAuthConfiguration,
): ClientRegistration {
  if (registration?.clientId === clientId && registration.issuer === issuer) return registration;
  if (configured !== clientId)
    return { issuer, clientId, authentication: 'none', from: 'document' };
  const hasSecret = clientSecret !== undefined && clientSecret !== '';
  return {
    issuer,
    clientId,
    authentication: privateKey === undefined ? methodFor({ issuer }, hasSecret) : 'private_key_jwt',
    from: 'configured',
    ...(hasSecret ? { clientSecret } : {}),
  };
}
