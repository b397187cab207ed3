import { CancellationToken } from 'vscode-jsonrpc/node';
import { type McpErrorCode, toMcpError } from '../../core/errors';
import { raceCancellation } from '../../core/rpc/cancellation';
import { fillInputs, noInputs } from '../configuration/inputs';
import {
  type ConfigProblem,
  type ServerConfig,
  throwIfUnusable,
} from '../configuration/serverConfig';
import { RunSecrets } from '../secrets/configuredSecrets';
import type { DiagnosisOptions } from './diagnosisRun';
import { type Step, type StepName, stepNames, Steps } from './steps';
import type { Proxy } from '../../core/http/probeHttp';
import { isNeverProxied } from '../../core/localHost';
import type { Environment } from '../../core/stdio/stdioEnvironment';

/** The step to which an error before the end of the handshake belongs. */
const stepOf: Partial<Record<McpErrorCode, StepName>> = {
  programNotFound: 'program',
  programNotExecutable: 'program',
  spawnFailed: 'process',
  exitedEarly: 'process',
  unreachable: 'address',
  tlsError: 'tls',
  unauthorized: 'challenge',
  unexpectedContentType: 'contentType',
};

/**
 * Connects to a server step by step in its own run, beside one that may be running, and ends it.
 * Calls no tool. The user must have agreed to start the server before.
 */
export class Diagnosis {
  readonly #options: DiagnosisOptions;

  constructor(options: DiagnosisOptions) {
    this.#options = options;
  }

  /**
   * Resolves with all steps, all of them completed. `onDidChange` is called after each change.
   * Cancelling ends the run and skips the remaining steps. Never rejects.
   */
  async walk(
    config: ServerConfig,
    problems: readonly ConfigProblem[],
    onDidChange: (steps: readonly Step[]) => void,
    token?: CancellationToken,
  ): Promise<readonly Step[]> {
    const { redact = (text) => text } = this.#options;
    const names = stepNames(config.transport.kind);
    const steps = new Steps(names, () => onDidChange(steps.all), redact);
    const secrets = new RunSecrets(this.#options.holdSecrets);
    secrets.hold(config, config.transport);
    try {
      const transport = await this.#prepare(config, problems, steps, token);
      secrets.hold(config, transport);
      const { DiagnosisRun } = await import('./diagnosisRun');
      const run = new DiagnosisRun(this.#options, steps, token);
      await (transport.kind === 'stdio'
        ? run.overStdio(transport)
        : run.overHttp(transport, this.#options.signInOf?.(config, transport)));
      steps.finish();
    } catch (thrown) {
      const error = toMcpError(thrown);
      const step = stepOf[error.code];
      // A process that started and ended before it answered has failed.
      if (error.code !== 'cancelled' && step !== undefined) steps.fail(step, error);
      steps.finish(error);
    } finally {
      secrets.release();
    }
    return steps.all;
  }

  /** @throws {McpError} why it cannot be started */
  async #prepare(
    config: ServerConfig,
    problems: readonly ConfigProblem[],
    steps: Steps,
    token: CancellationToken | undefined,
  ): Promise<ServerConfig['transport']> {
    const facts = problems.length === 0 ? [] : [{ kind: 'problems', problems } as const];
    steps.begin('configuration');
    try {
      throwIfUnusable(problems);
    } catch (thrown) {
      const error = toMcpError(thrown);
      if (error.code === 'missingVariable') {
        steps.pass('configuration');
        steps.fail('variables', error, ...facts);
      } else {
        steps.fail('configuration', error, ...facts);
      }
      throw error;
    }
    steps.pass('configuration', ...facts);
    steps.begin('variables');
    const { inputs: values = noInputs } = this.#options;
    const { inputs = [], transport } = config;
    const names = Object.keys(transport.kind === 'stdio' ? transport.env : transport.headers);
    const filled = await raceCancellation(
      fillInputs(config, values, token ?? CancellationToken.None),
      token,
    );
    steps.pass('variables', { kind: 'variables', names, inputs: inputs.length });
    return filled;
  }
}

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
