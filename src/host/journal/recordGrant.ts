import type { TokenGrant } from '../../core/auth/ports';
import type { ServerConfig } from '../configuration/serverConfig';
import type { ConsentRecorder } from './consentRecorder';

/** Records that an account was signed in, or got more scopes. A renewed token is neither. */
export function recordGrant(
  acts: Pick<ConsentRecorder, 'signIn'>,
  server: Pick<ServerConfig, 'id'>,
  grant: TokenGrant,
  former: TokenGrant | undefined,
): void {
  const { issuer, askedScopes, grantedScopes = askedScopes } = grant;
  if (former === undefined) {
    acts.signIn('signedIn', server, issuer, grantedScopes);
    return;
  }
  const before = former.grantedScopes ?? former.askedScopes;
  const added = grantedScopes.filter((scope) => !before.includes(scope));
  if (added.length > 0) acts.signIn('extended', server, issuer, added);
}
