/*
 * This is the part of the official SDK for servers that Toolgate uses. It is bundled once, for agents
 * in the extension and on the command line, and for the demo server.
 */
export {
  createMcpHandler,
  fromJsonSchema,
  isJSONRPCRequest,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  ProtocolError,
  Server,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
export { serveStdio } from '@modelcontextprotocol/server/stdio';
