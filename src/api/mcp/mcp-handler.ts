// Handles /mcp: the tools of the Model Context Protocol for AI assistants, by Streamable HTTP without sessions.
import { z } from 'zod';
import { resourceMetadataPath } from '../../auth/grants/protected-resource.js';
import { ApiError, cutText, forbidden, invalidRequest, refusalPointingTo } from '../../errors.js';
import { sendEmpty, sendError, sendJson, sendText } from '../../http/answer.js';
import { readBody } from '../../http/body.js';
import { enter } from '../../http/entrance.js';
import type { Exchange } from '../../http/exchange.js';
import { failureOf } from '../../http/failure.js';
import { methodNotAllowed } from '../../http/method.js';
import { isOwnHost } from '../../http/own-host.js';
import { InvalidJson, parseJson } from '../../input/json.js';
import { inputLimits } from '../../input/limits.js';
import type { InputLimits } from '../../input/limits.js';
import type { ToolRequest } from './tool.js';
import { ToolCall } from './tool-call.js';
import type { McpServices } from './tool-call.js';

/** The path of the MCP server. */
export const mcpPath = '/mcp';

const bodyRules = { bytesMax: 1024 * 1024, mediaTypes: ['application/json'] };

/** Far above what any tool takes. */
const messageLimits: InputLimits = { ...inputLimits, keys: 1_000, items: 1_000, values: 20_000 };

/** JSON-RPC 2.0, section 5.1. */
const jsonRpcCodes = { parse: -32_700, request: -32_600, internal: -32_603 };

export function createMcpHandler(services: McpServices): (exchange: Exchange) => Promise<void> {
  return async (exchange) => {
    try {
      await answer(services, exchange);
    } catch (error) {
      sendMcpError(exchange, failureOf(exchange, services.log, error), null);
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
  const message = parseJson((await readBody(request, bodyRules)).bytes, 'The body', messageLimits);
  if (Array.isArray(message))
    throw invalidRequest('Batches are not supported. Send each message in a request of its own.');
  const id = idOf(message);
  const { serveMcp } = await import('./serve-mcp.js');
  const toolRequest: ToolRequest = { services, exchange, call: new ToolCall(services, exchange, ctx) };
  const answered = await serveMcp(webRequest(exchange), message, toolRequest);
  const { denied } = toolRequest;
  if (denied !== undefined) {
    // MCP, Authorization, "Scope Challenge Handling".
    const metadata = `${services.publicUrl}${resourceMetadataPath(mcpPath)}`;
    sendMcpError(exchange, denied.headers['WWW-Authenticate'] ? refusalPointingTo(metadata, denied) : denied, id);
    return;
  }
  const text = withShortError(await answered.text());
  const headers = { 'content-type': answered.headers.get('content-type') ?? 'application/json' };
  if (text === '') sendEmpty(response, answered.status);
  else sendText(response, answered.status, text, headers);
}

const idLengthMax = 200;

/** The id of a message, which the response repeats. @throws 400 `invalid_request` for a long one. */
function idOf(message: unknown): string | number | null {
  const id = typeof message === 'object' && message !== null && 'id' in message ? message.id : undefined;
  if (typeof id === 'string' && id.length > idLengthMax) {
    throw invalidRequest(`id must be at most ${idLengthMax} characters (got ${id.length}).`);
  }
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

const errorLengthMax = 1_000;

/** Errors of the protocol name a tool, a method or a version as the caller sent it. */
function withShortError(text: string): string {
  if (text.length <= errorLengthMax || !text.startsWith('{')) return text;
  const answered: object = JSON.parse(text);
  if (!('error' in answered)) return text;
  const { code, message } = protocolError.parse(answered.error);
  return JSON.stringify({ ...answered, error: { code, message: cutText(message, messageLengthMax) } });
}

const messageLengthMax = 200;

const protocolError = z.object({ code: z.number(), message: z.string() });

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

function sendMcpError({ response, requestId }: Exchange, error: ApiError, id: string | number | null): void {
  if (response.headersSent) {
    sendError(response, error);
    return;
  }
  const { parse, request, internal } = jsonRpcCodes;
  const code = error instanceof InvalidJson ? parse : error.status >= 500 ? internal : request;
  const data = { code: error.error, status: error.status, requestId };
  sendJson(
    response,
    error.status,
    { jsonrpc: '2.0', id, error: { code, message: error.message, data } },
    error.headers,
  );
}
