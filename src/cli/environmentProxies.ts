import { Agent } from 'agent-base';
import http from 'node:http';
import https from 'node:https';
import { HttpProxyAgent } from 'http-proxy-agent';
import { HttpsProxyAgent } from 'https-proxy-agent';
import type { Proxy } from '../core/http/probeProxy';
import { proxyFor } from '../host/diagnosis/proxyFor';
import type { ProcessEnvironment } from './cliValues';

/** There is no editor whose settings could name one. */
const noProxySettings = {
  proxy: undefined,
  authorization: undefined,
  noProxy: undefined,
  support: undefined,
};

/** The proxy for an address, of an environment that is written as curl and many clients of Node read it. */
export function environmentProxy(address: string, env: ProcessEnvironment): Proxy | undefined {
  const either = (name: string) =>
    (env[name] ?? '').trim() || (env[name.toLowerCase()] ?? '').trim();
  const proxyOf = (name: string) => {
    const text = either(name) || either('ALL_PROXY');
    return text === '' || text.includes('://') ? text : `http://${text}`;
  };
  return proxyFor(address, noProxySettings, {
    HTTP_PROXY: proxyOf('HTTP_PROXY'),
    HTTPS_PROXY: proxyOf('HTTPS_PROXY'),
    NO_PROXY: either('NO_PROXY').replaceAll(/\s+/g, ','),
  });
}

/**
 * Has requests of Node's HTTP modules go through the proxies of the environment, as the editor sees to it
 * for the extension: Node itself does so only from version 24 on, and when it is told to. Returns what
 * takes it back.
 */
export function useEnvironmentProxies(env: ProcessEnvironment): () => void {
  const names = Object.keys(env).filter((name) => /^(?:https?|all)_proxy$/i.test(name));
  if (names.every((name) => env[name] === '')) return () => undefined;
  const { globalAgent: direct } = http;
  const { globalAgent: directSecure } = https;
  const chosen = { globalAgent: new EnvironmentProxyAgent(env, direct, directSecure) };
  Object.assign(http, chosen);
  Object.assign(https, chosen);
  return () => {
    http.globalAgent = direct;
    https.globalAgent = directSecure;
  };
}

/** Chooses for each connection. */
class EnvironmentProxyAgent extends Agent {
  readonly #env: ProcessEnvironment;
  readonly #direct: http.Agent;
  readonly #directSecure: https.Agent;

  constructor(env: ProcessEnvironment, direct: http.Agent, directSecure: https.Agent) {
    super();
    this.#env = env;
    this.#direct = direct;
    this.#directSecure = directSecure;
  }

  override async connect(
    _request: http.ClientRequest,
    { secureEndpoint, host = '', port }: Parameters<Agent['connect']>[1],
  ): Promise<http.Agent> {
    const name = host.includes(':') ? `[${host}]` : host;
    const address = `${secureEndpoint ? 'https' : 'http'}://${name}:${port}/`;
    const proxy = environmentProxy(address, this.#env);
    if (proxy === undefined) return secureEndpoint ? this.#directSecure : this.#direct;
    // To go without would show the request to a network that it was to be kept from.
    if (!/^https?:/i.test(proxy.url)) throw new Error('only HTTP proxies are known');
    return secureEndpoint ? new HttpsProxyAgent(proxy.url) : new HttpProxyAgent(proxy.url);
  }
}
