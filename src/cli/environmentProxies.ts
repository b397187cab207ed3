import { Agent } from 'agent-base';
import http from 'node:http';
import https from 'node:https';
import { HttpProxyAgent } from 'http-proxy-agent';
import { HttpsProxyAgent } from 'https-proxy-agent';
import type { Proxy } from '../core/http/probeHttp';
import { proxyFor } from '../host/diagnosis/diagnosis';
import type { ProcessEnvironment } from './cliValues';

/** The command line has no editor settings that name a proxy. */
const noProxySettings = {
  proxy: undefined,
  authorization: undefined,
  noProxy: undefined,
  support: undefined,
};

/** Finds the proxy for an address in the environment, by the conventions of curl. */
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
 * Sends requests of Node's HTTP modules through the proxies of the environment, as the editor does
 * for the extension. Node supports this only from version 24 on, and only on request. Returns a
 * function that restores the former state.
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

/** Chooses a proxy for each connection. */
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
    // Fails instead of connecting directly, because that would expose the request to a network that
    // it should avoid.
    if (!/^https?:/i.test(proxy.url)) throw new Error('only HTTP proxies are known');
    return secureEndpoint ? new HttpsProxyAgent(proxy.url) : new HttpProxyAgent(proxy.url);
  }
}
