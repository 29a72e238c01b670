// Serves the console: the page and the files that the build writes. The console is a client of the GraphQL API.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { consoleCallbackPath, consoleClientId } from '../../auth/grants/oauth-client.js';
import type { TransportServices } from '../../http/transport-services.js';
import { ApiError } from '../../errors.js';
import { sendError, varyByAccept } from '../../http/answer.js';
import { chooseEncoding } from '../../http/encoding.js';
import { isMatch } from '../../http/validator.js';
import { namesMediaType } from '../../input/accept.js';
import { builtFolder, loadConsoleFiles } from './files.js';
import type { ConsoleFile } from './files.js';

/** Answers a request for one of the console's paths; `false`, with nothing sent, for every other one. */
export type ConsoleHandler = (request: IncomingMessage, response: ServerResponse, path: string) => boolean;

/** Paths of views, which the page itself routes. */
const viewPath = /^\/(?:$|w\/|a\/|(?:platform|profile)\/?$)/;

const filesPath = '/console/';

/**
 * The Content-Security-Policy of the page: nothing but this server, no script and no style inside the page, and no
 * text that becomes script or HTML.
 */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/**
 * Reads the files at the first request for one.
 *
 * @param folder where the build put them.
 */
export function createConsoleHandler(services: TransportServices, folder = builtFolder): ConsoleHandler {
  const settings = {
    authorize: `${services.publicUrl}/v0/oauth/authorize`,
    token: `${services.publicUrl}/v0/oauth/token`,
    revoke: `${services.publicUrl}/v0/oauth/revoke`,
    issuer: services.tokens.issuer,
    clientId: consoleClientId,
    redirectUri: `${services.publicUrl}${consoleCallbackPath}`,
    publicUrl: services.publicUrl,
    workspaceHeader: services.headers.workspace,
  };
  let files: ReturnType<typeof loadConsoleFiles> | undefined;

  function answerFile(request: IncomingMessage, response: ServerResponse, name: string): void {
    files ??= loadConsoleFiles(folder, settings);
    const file = files.get(name);
    if (file === undefined) return sendError(response, new ApiError('not_found', 'No endpoint has this path.'));
    if (!isRead(request)) {
      const headers = { Allow: 'GET, HEAD' };
      return sendError(
        response,
        new ApiError('method_not_allowed', 'Method not allowed. Allowed: GET, HEAD.', { headers }),
      );
    }
    return sendFile(request, response, file);
  }

  return (request, response, path) => {
    if (path.startsWith(filesPath)) {
      answerFile(request, response, path.slice(filesPath.length));
      return true;
    }
    if (!(viewPath.test(path) || path === consoleCallbackPath) || !isRead(request)) return false;
    varyByAccept(response);
    if (!wantsHtml(request)) return false;
    response.setHeader('content-security-policy', pagePolicy);
    response.setHeader('cross-origin-opener-policy', 'same-origin');
    response.setHeader('referrer-policy', 'no-referrer');
    answerFile(request, response, 'index.html');
    return true;
  };
}

function sendFile(request: IncomingMessage, response: ServerResponse, file: ConsoleFile): void {
  const encoding = chooseEncoding(request.headers['accept-encoding']);
  const etag = `"${file.hash}-${encoding}"`;
  response.setHeader('etag', etag);
  response.appendHeader('vary', 'Accept-Encoding');
  response.setHeader('cache-control', file.isPage ? 'no-cache' : 'public, max-age=31536000, immutable');
  if (isMatch(request.headers['if-none-match'], etag)) {
    response.writeHead(304).end();
    return;
  }
  const body = file.body(encoding);
  if (encoding !== 'identity') response.setHeader('content-encoding', encoding);
  response.writeHead(200, {
    'content-type': file.mediaType,
    'content-length': body.length,
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

function isRead(request: IncomingMessage): boolean {
  return request.method === 'GET' || request.method === 'HEAD';
}

function wantsHtml(request: IncomingMessage): boolean {
  return namesMediaType(request.headers.accept, 'text/html');
}
