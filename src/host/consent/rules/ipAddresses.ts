/**
 * The IPv4 address that an IPv6 address of a URL stands for (mapped, compatible, or of a translator),
 * in the form in which URLs have it; `undefined` for any other host.
 */
export function ipv4Within(host: string): string | undefined {
  const [, high, low] =
    /^\[(?:::ffff:(?:0:)?|::|64:ff9b::)([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(host) ?? [];
  if (high === undefined || low === undefined) return undefined;
  const bytes = [high, low].flatMap((part) => {
    const value = Number.parseInt(part, 16);
    return [value >> 8, value & 0xff];
  });
  return bytes.join('.');
}
