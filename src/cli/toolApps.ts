import type { McpClient } from '../core/client';
import { appRequests } from '../core/content/content';
import { textOf } from '../core/content/textKind';
import { toMcpError } from '../core/errors';
import type { JsonObject } from '../core/json/jsonValue';
import type { Tool, ToolApp } from '../core/types';
import { visibleText } from '../core/visibleText';
import type { CliOutput } from './cliOutput';
import type { CommandTools } from './commandTools';
import type { CliSession } from './cliSession';
import { errorMessage } from './errorMessage';
import { redactedResult } from './redactedResult';

/** Some servers list their tools with apps only for clients that declare this (SEP-1865). */
export const appsExtension: JsonObject = {
  'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] },
};

/** The app of a tool, with what its page says about itself. */
export interface ListedApp extends ToolApp {
  readonly mimeType?: string;
  /** Characters of the page. */
  readonly size?: number;
  /** The page requests these of its host by `_meta.ui` of it or of its entry in the list of resources, such as `csp`, `permissions` and `domain`. */
  readonly requests?: JsonObject;
  /** Why the page could not be read. */
  readonly error?: string;
}

const maxRequestsChars = 2_000;

/** Returns the app of each tool that has one, by the tool's name. With `hasApps`, their pages are read. */
export async function listedApps(
  tools: readonly { readonly tool: Tool }[],
  client: Pick<McpClient, 'readResource'>,
  options: Pick<CommandTools, 'chosen' | 'session' | 'output'>,
): Promise<ReadonlyMap<string, ListedApp>> {
  const pages = new Map<string, Omit<ListedApp, keyof ToolApp>>();
  const apps = new Map<string, ListedApp>();
  for (const { tool } of tools) {
    const { name, app } = tool;
    if (app === undefined) continue;
    const uri = options.chosen.hasApps ? app.resourceUri : undefined;
    const page =
      uri === undefined ? {} : (pages.get(uri) ?? (await readPage(uri, client, options)));
    if (uri !== undefined) pages.set(uri, page);
    apps.set(name, { ...app, ...page });
  }
  return apps;
}

async function readPage(
  uri: string,
  client: Pick<McpClient, 'readResource'>,
  { session, output }: { readonly session: CliSession; readonly output: CliOutput },
): Promise<Omit<ListedApp, keyof ToolApp>> {
  try {
    const { token } = session;
    const { contents } = await client.readResource(uri, { token, hasListedUi: true });
    const page = contents.find((each) => each.uri === uri);
    if (page === undefined) return {};
    const { mimeType, text } = page;
    const requests = appRequests(page);
    return {
      ...(mimeType === undefined ? {} : { mimeType }),
      ...(text === undefined ? {} : { size: textOf(text).length }),
      ...(requests === undefined ? {} : { requests }),
    };
  } catch (thrown) {
    return { error: errorMessage(toMcpError(thrown), output.redact) };
  }
}

/** Returns the lines of an app below its tool. */
export function listedAppLines(
  app: ListedApp | undefined,
  redact: CliOutput['redact'],
): readonly string[] {
  if (app === undefined) return [];
  const { resourceUri, mimeType, isForAppOnly, requests, error } = app;
  const shown = (text: string) => visibleText(redact(text), maxRequestsChars);
  const page = [resourceUri, mimeType].flatMap((each) => (each === undefined ? [] : [shown(each)]));
  const json = requests === undefined ? undefined : redactedResult(requests, redact);
  return [
    ...(page.length === 0 ? [] : [`      app ${page.join('  ')}`]),
    ...(isForAppOnly === true ? ['      only for its app, not for agents'] : []),
    ...(json === undefined ? [] : [`      requests ${shown(JSON.stringify(json))}`]),
    ...(error === undefined ? [] : [`      ! The page of the app cannot be read: ${error}`]),
  ];
}

/** Returns the member `app` of a tool, or no member. */
export function appJson(app: ListedApp | undefined, redact: CliOutput['redact']): object {
  return app === undefined ? {} : { app: redactedResult(app, redact) };
}
