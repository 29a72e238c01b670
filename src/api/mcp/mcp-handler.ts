// Handles /mcp: the tools of the Model Context Protocol for AI assistants, by Streamable HTTP without sessions.
import { ApiError, forbidden, invalidRequest } from '../../errors.js';
import { sendEmpty, sendError, sendJson, sendText } from '../../http/answer.js';
import { readBody } from '../../http/body.js';
import { enter } from '../../http/entrance.js';
import type { Exchange } from '../../http/exchange.js';
import { failureOf } from '../../http/failure.js';
import { parseJson } from '../../http/json.js';
import { methodNotAllowed } from '../../http/method.js';
import { isOwnHost } from '../../http/own-host.js';
import { ToolCall } from './tool-call.js';
import type { McpServices } from './tool-call.js';

/** The address of the MCP server. */
export const mcpPath = '/mcp';

const bodyRules = { bytesMax: 1024 * 1024, mediaTypes: ['application/json'] };

/** JSON-RPC 2.0, section 5.1. */
const jsonRpcCodes = { request: -32_600, internal: -32_603 };

export function createMcpHandler(services: McpServices): (exchange: Exchange) => Promise<void> {
  return async (exchange) => {
    try {
      await answer(services, exchange);
    } catch (error) {
      sendMcpError(exchange, failureOf(exchange, services.log, error));
    }
  };
}

async function answer(services: McpServices, exchange: Exchange): Promise<void> {
  const { request, response, method, path } = exchange;
  if (path !== mcpPath) throw new ApiError('not_found', 'No endpoint has this path.');
  exchange.notes.route = mcpPath;
  requireKnownOrigin(services, request.headers.origin);
  // GET would open a stream, and DELETE end a session: this server has neither.
  if (method !== 'POST') throw methodNotAllowed(['POST']);
  const ctx = await enter(services, exchange, 'mcp');
  const message = parseJson((await readBody(request, bodyRules)).bytes);
  if (Array.isArray(message))
    throw invalidRequest('Batches are not supported. Send each message in a request of its own.');
  const { serveMcp } = await import('./serve-mcp.js');
  const call = new ToolCall(services, exchange, ctx);
  const answered = await serveMcp(webRequest(exchange), message, { services, exchange, call });
  const text = await answered.text();
  const headers = { 'content-type': answered.headers.get('content-type') ?? 'application/json' };
  if (text === '') sendEmpty(response, answered.status);
  else sendText(response, answered.status, text, headers);
}

/**
 * Only pages of this service and of the origins that CORS allows can call it (MCP, Streamable HTTP, security warning). Any
 * other site could reach it by DNS rebinding. Programs send no Origin.
 *
 * @throws 403
 */
function requireKnownOrigin({ publicUrl, http }: McpServices, origin: string | undefined): void {
  const { origins } = http.cors;
  if (origin === undefined || origins.includes('*') || origins.includes(origin)) return;
  const host = URL.parse(origin)?.host;
  if (host !== undefined && isOwnHost(publicUrl, host)) return;
  throw forbidden('Pages of this origin cannot call the MCP server. Add it to CORS_ORIGINS.');
}

/** The headers that the protocol knows. Every answer is JSON, so it does not matter what the client accepts. */
function webRequest({ request }: Exchange): Request {
  const headers = new Headers({ 'content-type': 'application/json', accept: 'application/json, text/event-stream' });
  for (const [name, value] of Object.entries(request.headers)) {
    if (name.startsWith('mcp-') && typeof value === 'string') headers.set(name, value);
  }
  return new Request(`http://localhost${mcpPath}`, { method: 'POST', headers });
}

function sendMcpError({ response, requestId }: Exchange, error: ApiError): void {
  if (response.headersSent) {
    sendError(response, error);
    return;
  }
  const code = error.status >= 500 ? jsonRpcCodes.internal : jsonRpcCodes.request;
  const data = { code: error.error, status: error.status, requestId };
  const body = { jsonrpc: '2.0', id: null, error: { code, message: error.message, data } };
  sendJson(response, error.status, body, error.headers);
}
