import type { ServerConfig } from '../configuration/serverConfig';
import type { HeldSecrets, SecretValues } from './secretValues';
import { isSecretReference, looksSecret, withoutFirstWord } from '../configuration/secretNames';

/** Makes the secrets of a configuration known, before a server is reached as `reach` says. */
export type HoldSecrets = (
  config: ServerConfig,
  transport: ServerConfig['transport'],
) => Pick<HeldSecrets, 'leftOut' | 'release'>;

/** What a configuration holds of secrets, by whose they are. */
export interface ConfiguredSecrets {
  /** Of the person's environment, which bounds how many there are. */
  readonly theirs: readonly string[];
  /** Of the file of variables, and of the configuration itself: whoever wrote these chose how many. */
  readonly fromFile: readonly string[];
  readonly literal: readonly string[];
}

/** The secrets of one run, let go when it has ended. */
export class RunSecrets {
  readonly #holdSecrets: HoldSecrets | undefined;
  readonly #held: ReturnType<HoldSecrets>[] = [];
  #isOver = false;

  constructor(holdSecrets: HoldSecrets | undefined) {
    this.#holdSecrets = holdSecrets;
  }

  /** How many are over what a server may have. What is held after the end would stay for ever, so nothing is. */
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

/** Makes them known to `values`: what is the person's for good, the rest as long as the run. */
export function holdIn(values: Pick<SecretValues, 'add' | 'hold'>): HoldSecrets {
  return (config, transport) => {
    const { theirs, fromFile, literal } = configuredSecrets(config, transport);
    for (const value of theirs) values.add(value);
    // A budget each: what the one holds must not leave out what the other does.
    const held = [values.hold(fromFile), values.hold(literal)];
    return {
      leftOut: held.reduce((sum, { leftOut }) => sum + leftOut, 0),
      release: () => held.forEach((each) => each.release()),
    };
  };
}

/** What an input stands in is no secret itself. */
const hasInput = /\$\{input:[^{}]*\}/;

/**
 * The secrets that stand in how a server is reached, as far as names tell: variables, headers and
 * parameters of the address that are called so, a password in the address, and what is named of the
 * person's environment. Inputs are none as long as they are not filled in.
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
    // Settings may be those of a repository, and a default stands in the file.
    const isTheirs = !/^\$\{config:|:-/.test(piece.reference);
    (isTheirs ? theirs : literal).push(piece.value, ...inAddress(piece.value));
  }
  const isFromFile = new Set(envFile?.names);
  for (const [name, value] of Object.entries(
    transport.kind === 'stdio' ? transport.env : transport.headers,
  )) {
    if (value === null || !looksSecret(name) || hasInput.test(value)) continue;
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
  const values = [...searchParams].flatMap(([name, value]) => (looksSecret(name) ? [value] : []));
  // A token may stand where the name would be.
  const user = password === '' ? username : password;
  return user === '' ? values : [user, decoded(user), ...values];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
