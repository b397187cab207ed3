/**
 * Words that MCP itself puts into messages: member names, methods and content types. They say
 * nothing about the sender, so they are not redacted even if a secret is spelled the same.
 */
const words: ReadonlySet<string> = new Set(
  `jsonrpc id method params result error code message data _meta progressToken
  name title description uri uriTemplate mimeType size lastModified annotations audience priority icons src sizes theme
  content structuredContent isError toolResult type text blob resource contents
  image audio resource_link assistant user
  tools resources resourceTemplates prompts nextCursor cursor arguments inputSchema outputSchema readOnlyHint destructiveHint
  idempotentHint openWorldHint execution taskSupport messages role
  protocolVersion capabilities clientInfo serverInfo version instructions listChanged subscribe
  elicitation sampling roots completions logging experimental extensions
  requestId reason progress total level logger action accept decline cancel requestedSchema mode url elicitationId
  initialize ping tools/list tools/call resources/list resources/read resources/templates/list resources/subscribe
  resources/unsubscribe prompts/list prompts/get completion/complete logging/setLevel server/discover
  elicitation/create sampling/createMessage roots/list subscriptions/listen
  notifications/initialized notifications/cancelled notifications/progress notifications/message
  notifications/tools/list_changed notifications/resources/list_changed notifications/resources/updated
  notifications/prompts/list_changed notifications/roots/list_changed notifications/elicitation/complete`.split(
    /\s+/,
  ),
);

export function isProtocolWord(text: string): boolean {
  return words.has(text);
}
