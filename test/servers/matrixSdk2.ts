import { LOG_LEVEL_META_KEY, Server, inputRequired } from '@modelcontextprotocol/server';
import type { ServerContext } from '@modelcontextprotocol/server';
import type { Revision } from '../../src/core/types';
import type { Offer, Surroundings, Tell } from './matrixTools';
import {
  callTool,
  capabilities,
  question,
  resourceContents,
  serverInfo,
  text,
} from './matrixTools';

/**
 * A server of the matrix, built with the official SDK 2.x: for both eras, or for `only` one
 * revision of the stateful era, which this SDK has an option for.
 */
export function makeServer2(
  offer: Offer,
  notify: Tell,
  only?: Revision,
  changed?: () => void,
): Server {
  const pin = only === undefined ? {} : { supportedProtocolVersions: [only] };
  const server = new Server(serverInfo, { capabilities, ...pin });
  server.setRequestHandler('tools/list', ({ params }) => offer.page(params?.cursor));
  server.setRequestHandler('resources/read', ({ params }) => resourceContents(params.uri));
  server.setRequestHandler('logging/setLevel', ({ params }) => {
    notify(`level ${params.level}`);
    return {};
  });
  server.setRequestHandler('tools/call', ({ params: { name, arguments: args } }, context) => {
    // To a client of the stateful era the SDK puts these as requests of its own.
    if (name === 'ask') return answerOr(context, () => inputRequired.elicit(question));
    if (name === 'roots') return answerOr(context, () => inputRequired.listRoots());
    const announce = changed ?? (() => server.sendToolListChanged());
    return callTool(name, args, surroundings(offer, context, notify, announce));
  });
  return server;
}

/** What the client answered, or the question when it was not asked yet. */
function answerOr(
  { mcpReq }: ServerContext,
  ask: () => ReturnType<typeof inputRequired.listRoots>,
) {
  const answer = mcpReq.inputResponses?.['key'];
  if (answer === undefined) {
    return inputRequired({ inputRequests: { key: ask() }, requestState: 'state of "ä"' });
  }
  if (mcpReq.requestState() !== 'state of "ä"') throw new Error('the state is not what it was');
  return text(JSON.stringify(answer));
}

function surroundings(
  offer: Offer,
  { mcpReq }: ServerContext,
  notify: Tell,
  announce: () => void | Promise<void>,
): Surroundings {
  const level: unknown = Reflect.get(mcpReq.envelope ?? {}, LOG_LEVEL_META_KEY);
  return {
    signal: mcpReq.signal,
    notify,
    report: async (progress, total) => {
      const { _meta: meta } = mcpReq;
      const progressToken = meta?.progressToken;
      if (progressToken === undefined) return;
      const params = { progressToken, progress, total };
      await mcpReq.notify({ method: 'notifications/progress', params });
    },
    log: async (data) => {
      if (typeof level === 'string') notify(`level ${level}`);
      await mcpReq.log('warning', data, 'matrix');
    },
    changed: async () => {
      offer.extend();
      await announce();
    },
  };
}
