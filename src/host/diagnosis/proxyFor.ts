import type { Proxy } from '../../core/http/probeProxy';
import { isNeverProxied } from '../../core/localHost';
import type { Environment } from '../../core/stdio/stdioEnvironment';

/** The editor's proxy settings, unchecked. */
export interface ProxySettings {
  readonly proxy: unknown;
  readonly authorization: unknown;
  /** Hosts that are reached directly. */
  readonly noProxy: unknown;
  /** `off`: the editor uses no proxy for extensions. */
  readonly support: unknown;
}

/**
 * Returns the proxy that the editor uses for an address: that of its settings, otherwise that of
 * the environment. Returns `undefined` if none is set or usable, or if the address is reached
 * directly.
 */
export function proxyFor(
  address: string,
  { proxy, authorization, noProxy, support }: ProxySettings,
  environment: Environment,
): Proxy | undefined {
  const url = new URL(address);
  if (support === 'off' || !/^https?:$/.test(url.protocol)) return undefined;
  if (isNeverProxied(url.hostname)) return undefined;
  const variable = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const given = textOf(proxy) ?? either(environment, variable);
  if (given === undefined || !URL.canParse(given) || new URL(given).host === '') return undefined;
  const without = Array.isArray(noProxy) && noProxy.length > 0 ? noProxy : undefined;
  const excluded = without ?? (either(environment, 'NO_PROXY') ?? '').split(',');
  if (excluded.some((one) => isExcluded(url, one))) return undefined;
  const text = textOf(authorization);
  return text === undefined ? { url: given } : { url: given, authorization: text };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Both spellings of the name are in use. */
function either(environment: Environment, name: string): string | undefined {
  return textOf(environment[name]) ?? textOf(environment[name.toLowerCase()]);
}

/** `example.org`, `.example.org` and `example.org:8080` match the host and its subdomains. */
function isExcluded({ hostname, port, protocol }: URL, rule: unknown): boolean {
  if (typeof rule !== 'string') return false;
  const [, name = '', onlyPort] = /^\s*\*?\.?([^:]*?)(?::(\d+))?\s*$/.exec(rule) ?? [];
  if (rule.trim() === '*') return true;
  const ownPort = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  const isPort = onlyPort === undefined || onlyPort === ownPort;
  return name !== '' && isPort && `.${hostname}`.endsWith(`.${name.toLowerCase()}`);
}
