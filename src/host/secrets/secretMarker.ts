/** Stands in place of a secret, which itself is never written. */
export const secretMarker = '(secret)';
