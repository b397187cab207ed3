/**
 * Compares issuers when metadata is matched to its request: byte for byte, except that an
 * empty path equals `/` (RFC 3986, section 6.2.3). The `iss` of an answer is compared without this
 * exception.
 */
export function isSameIssuer(one: string, other: string): boolean {
  return withPath(one) === withPath(other);
}

/** Returns `issuers` without duplicates. */
export function differentIssuers(issuers: readonly string[]): readonly string[] {
  return issuers.filter((one, index) => {
    return issuers.findIndex((other) => isSameIssuer(other, one)) === index;
  });
}

/** A `URL` object would normalize more than the path. */
function withPath(issuer: string): string {
  return /^https?:\/\/[^/?#]+$/i.test(issuer) ? `${issuer}/` : issuer;
}

/**
 * Whether both are one host, or one is below the other. Names alone do
 * not tell what else belongs together, so everything else counts as foreign.
 */
export function isSameSite(one: string, other: string): boolean {
  if (!URL.canParse(one) || !URL.canParse(other)) return false;
  const [first, second] = [new URL(one).hostname, new URL(other).hostname];
  return first === second || isBelow(first, second) || isBelow(second, first);
}

/** Below a name with a dot in it: everything is below `com`. */
function isBelow(name: string, parent: string): boolean {
  return parent.includes('.') && name.endsWith(`.${parent}`);
}
