import type { ServerConfig } from '../configuration/serverConfig';
import type { HeldSecrets, SecretValues } from './secretValues';
import { isSecretReference, looksSecret, withoutFirstWord } from '../configuration/secretNames';
import { percentDecoded } from '../../core/percentDecoded';

/** Registers the secrets of a configuration before the server is launched with `transport`. */
export type RegisterServerSecrets = (
  config: ServerConfig,
  transport: ServerConfig['transport'],
) => Pick<HeldSecrets, 'leftOut' | 'release'>;

/** The secrets in a configuration, by their origin. */
export interface ConfiguredSecrets {
  /** Values of the user's environment, which limits their number. */
  readonly theirs: readonly string[];
  /**
   * Values of the variables file and of the configuration itself, whose author decided how many
   * there are.
   */
  readonly fromFile: readonly string[];
  readonly literal: readonly string[];
}

/** The secrets of one run, released when it has ended. */
export class RunSecrets {
  readonly #holdSecrets: RegisterServerSecrets | undefined;
  readonly #held: ReturnType<RegisterServerSecrets>[] = [];
  #isOver = false;

  constructor(holdSecrets: RegisterServerSecrets | undefined) {
    this.#holdSecrets = holdSecrets;
  }

  /**
   * Returns how many exceed the limit of one server. Registers nothing after the end, because it
   * would stay forever.
   */
  hold(config: ServerConfig, transport: ServerConfig['transport']): number {
    if (this.#isOver || this.#holdSecrets === undefined) return 0;
    const held = this.#holdSecrets(config, transport);
    this.#held.push(held);
    return held.leftOut;
  }

  release(): void {
    this.#isOver = true;
    for (const held of this.#held.splice(0)) held.release();
  }
}

/**
 * Registers secrets with `values`: those of the user's environment permanently, the others during
 * the run.
 */
export function registerServerSecrets(
  values: Pick<SecretValues, 'add' | 'hold'>,
): RegisterServerSecrets {
  return (config, transport) => {
    const { theirs, fromFile, literal } = configuredSecrets(config, transport);
    for (const value of theirs) values.add(value);
    // Separate limits, so that neither origin displaces the other.
    const held = [values.hold(fromFile), values.hold(literal)];
    return {
      leftOut: held.reduce((sum, { leftOut }) => sum + leftOut, 0),
      release: () => held.forEach((each) => each.release()),
    };
  };
}

/** A text with an input is no secret itself. */
const hasInput = /\$\{input:[^{}]*\}/;

/**
 * Returns the secrets in a server's transport, as far as names show: variables, headers and URL
 * parameters with names of secrets, a password in the URL, and references to the user's
 * environment. Inputs count once they are filled in.
 */
export function configuredSecrets(
  { written = [], envFile }: Pick<ServerConfig, 'written' | 'envFile'>,
  transport: ServerConfig['transport'],
): ConfiguredSecrets {
  const theirs: string[] = [];
  const fromFile: string[] = [];
  const literal = transport.kind === 'stdio' ? [] : inAddress(transport.url);
  for (const piece of written.flatMap(({ pieces }) => pieces)) {
    if (!('reference' in piece) || !isSecretReference(piece.reference, piece.value)) continue;
    (piece.isForeign === true ? literal : theirs).push(piece.value, ...inAddress(piece.value));
  }
  const isFromFile = new Set(envFile?.names);
  for (const [name, value] of Object.entries(
    transport.kind === 'stdio' ? transport.env : transport.headers,
  )) {
    if (value === null || !looksSecret(name, value) || hasInput.test(value)) continue;
    (isFromFile.has(name) ? fromFile : literal).push(value, withoutFirstWord(value));
  }
  const { clientSecret, enterprise } =
    (transport.kind === 'stdio' ? undefined : transport.oauth) ?? {};
  for (const secret of [clientSecret, enterprise?.idToken]) {
    if (secret !== undefined) literal.push(secret);
  }
  return { theirs, fromFile, literal: literal.filter((value) => !hasInput.test(value)) };
}

function inAddress(address: string): string[] {
  if (!URL.canParse(address)) return [];
  const { username, password, searchParams } = new URL(address);
  const values = [...searchParams].flatMap(([name, value]) =>
    looksSecret(name, value) ? [value] : [],
  );
  // A token may take the place of the user name.
  const user = password === '' ? username : password;
  return user === '' ? values : [user, percentDecoded(user), ...values];
}
