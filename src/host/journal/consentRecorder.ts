import type { Tool } from '../../core/types';
import { configHash } from '../configuration/configurationHash';
import type { ServerConfig } from '../configuration/serverConfig';
import type { ToolField } from '../consent/facts/callFacts';
import { toolFingerprint } from '../consent/facts/fingerprints';
import type { Grant } from '../consent/grants/grant';
import type { OverrideRecord } from '../consent/grants/overrides';
import type { TrustChange } from '../consent/trust/serverTrust';
import { type AuthorizationEntry, maxListed } from './entry';
import type { Journal } from './journal';
import type { TokenGrant } from '../../core/auth/ports';

/** Records what the user permits, withdraws and accepts in the journal. Never throws. */
export class ConsentRecorder {
  readonly #journal: Pick<Journal, 'append'>;

  constructor(journal: Pick<Journal, 'append'>) {
    this.#journal = journal;
  }

  grant(action: 'granted' | 'withdrawn', grant: Grant): void {
    const { id, scope, duration, server } = grant;
    const tools = Object.keys(grant.tools).slice(0, maxListed);
    this.#journal.append({
      kind: 'permission',
      action,
      server,
      tools,
      grant: { id, scope, duration },
    });
  }

  override(action: 'overrideSet' | 'overrideWithdrawn', record: OverrideRecord): void {
    const { server, tool, override } = record;
    const { level } = override;
    this.#journal.append({ kind: 'permission', action, server, tools: [tool], level });
  }

  trust(act: TrustChange): void {
    if (act.kind === 'withdrawn') {
      const { server: id, configHash: fingerprint } = act.record;
      const server = { id, label: id, fingerprint };
      this.#journal.append({ kind: 'trust', server, answer: 'withdrawn' });
      return;
    }
    const { id, label } = act.config;
    const server = { id, label, fingerprint: configHash(act.config) };
    this.#journal.append({ kind: 'trust', server, answer: act.kind });
  }

  /** `scopes` come from the server and are untrusted. */
  signIn(
    action: AuthorizationEntry['action'],
    { id }: Pick<ServerConfig, 'id'>,
    issuer: string,
    scopes: readonly string[],
  ): void {
    const given = scopes.slice(0, maxListed);
    this.#journal.append({ kind: 'authorization', action, server: id, issuer, scopes: given });
  }

  /**
   * Records an accepted definition; `fields` are the changed ones, empty for a new one. A skill is
   * given as `SkillPins` gives it to the pins.
   */
  pin(of: 'tool' | 'skill', { id }: ServerConfig, tool: Tool, fields: readonly ToolField[]): void {
    const facts = { name: tool.name, fingerprint: toolFingerprint(tool) };
    const isSkill = of === 'skill' ? { isSkill: true as const } : {};
    this.#journal.append({ kind: 'pin', server: id, ...isSkill, tool: facts, fields });
  }
}

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
