import { methodFor } from './clientAuthentication';
import type { ClientRegistration, OAuthConfiguration, TokenGrant } from './ports';

/**
 * As what the product got a grant, for later requests about it. A registration of another id says
 * nothing of it; without one it was a client without a secret.
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
