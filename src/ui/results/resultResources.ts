import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { McpClient } from '../../core/client';
import { isMcpError, toMcpError, type McpError } from '../../core/errors';
import type { ReadResourceResult } from '../../core/types';
import type { ServerRegistry } from '../../host/connections/registry';
import { withDelayedProgress } from '../editor/delayedProgress';
import { showLogAction, notify, notifyServerError } from '../editor/messages';
import { quoted } from '../format/sentences';

/**
 * Error codes of `resources/read` for a missing resource, from older and newer protocol versions
 * (R-444).
 */
const notFoundCodes = [-32002, -32602];

export interface ResourceReaderOptions {
  readonly registry: Pick<ServerRegistry, 'find'> & {
    readonly client: (id: string) => Pick<McpClient, 'readResource'>;
  };
  /**
   * Asks for what starting requires, and shows failures. Resolves to `false` if the server did not
   * start.
   */
  readonly startServer: (id: string) => Promise<boolean>;
}

/** Reads resources at the user's request, from the server that named them. */
export class ResourceReader {
  readonly #options: ResourceReaderOptions;

  constructor(options: ResourceReaderOptions) {
    this.#options = options;
  }

  /**
   * Never rejects: a failure is shown, and gives `undefined`. Offers to start a server that is not
   * running.
   */
  async read(
    serverId: string,
    uri: string,
    isRefresh = false,
  ): Promise<ReadResourceResult | undefined> {
    const { registry, startServer } = this.#options;
    const label = registry.find(serverId)?.config.label ?? serverId;
    try {
      return await this.#readOnce(serverId, label, uri, isRefresh);
    } catch (error) {
      if (!isMcpError(error, 'notRunning')) return notifyReadError(serverId, label, uri, error);
    }
    if (!(await offersStart(label)) || !(await startServer(serverId))) return undefined;
    try {
      return await this.#readOnce(serverId, label, uri, true);
    } catch (error) {
      return notifyReadError(serverId, label, uri, error);
    }
  }

  async #readOnce(
    id: string,
    label: string,
    uri: string,
    isRefresh: boolean,
  ): Promise<ReadResourceResult> {
    const client = this.#options.registry.client(id);
    const title = l10n.t('Reading “{0}” from server “{1}”…', quoted(uri), quoted(label));
    return withDelayedProgress(title, (token) =>
      client.readResource(uri, { token, isRefresh, hasListedUi: true }),
    );
  }
}

async function offersStart(label: string): Promise<boolean> {
  // In an untrusted workspace, starting the server shows the reason why it cannot start.
  if (!vscode.workspace.isTrusted) return true;
  const start = l10n.t('Start Server and Read');
  const sentence = l10n.t(
    'The resource cannot be read because server “{0}” is not running.',
    quoted(label),
  );
  return (await vscode.window.showInformationMessage(sentence, start)) === start;
}

function notifyReadError(id: string, label: string, uri: string, thrown: unknown): undefined {
  const error: McpError = toMcpError(thrown);
  const isNotFound =
    error.code === 'serverError' && notFoundCodes.includes(error.facts.rpcCode ?? 0);
  if (!isNotFound) {
    notifyServerError({ id, label }, error);
    return undefined;
  }
  const sentence = l10n.t(
    'Server “{0}” did not find resource “{1}”. If the link is from an earlier answer, call the tool again. Details: “{2}”',
    quoted(label),
    quoted(uri),
    quoted(error.facts.detail),
  );
  notify('error', sentence, showLogAction(id));
  return undefined;
}
