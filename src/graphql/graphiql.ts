// GraphiQL from this server alone: the page and all that it needs, so that it works without any network.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '../errors.js';
import { loadGraphiqlAssets, sendAsset } from './graphiql-assets.js';
import type { GraphiqlAsset } from './graphiql-assets.js';
import { pagePolicy, renderGraphiqlPage } from './graphiql-page.js';
import type { GraphiqlOptions } from './graphiql-page.js';

export interface Graphiql {
  /**
   * Answers a browser's GET of the endpoint with the page, and `<endpoint>/assets/…` with its files. Neither
   * needs a credential. It is `false`, at once and with nothing sent, when the request is something else.
   *
   * @throws 404 `not_found` for an unknown file, 405 `method_not_allowed` for anything but GET and HEAD of one.
   */
  handle: (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>;
}

/** Costs nothing until the first request for the page. */
export function createGraphiql(options: GraphiqlOptions): Graphiql {
  let loading: ReturnType<typeof load> | undefined;

  async function load() {
    const assets = await loadGraphiqlAssets();
    const assetsByName = new Map<string, GraphiqlAsset>(Object.values(assets).map((asset) => [asset.fileName, asset]));
    return { page: renderGraphiqlPage(options, assets), assetsByName };
  }

  async function answerAsset(request: IncomingMessage, response: ServerResponse, fileName: string): Promise<boolean> {
    if (!isRead(request)) {
      const headers = { Allow: 'GET, HEAD' };
      throw new ApiError('method_not_allowed', 'This address answers GET and HEAD alone.', { headers });
    }
    const { assetsByName } = await (loading ??= load());
    const asset = assetsByName.get(fileName);
    if (asset === undefined) throw new ApiError('not_found', 'There is nothing at this address.');
    await sendAsset(request, response, asset);
    return true;
  }

  async function answerPage(response: ServerResponse): Promise<boolean> {
    const { page } = await (loading ??= load());
    sendPage(response, page);
    return true;
  }

  const assetsPath = `${options.endpoint}/assets/`;
  return {
    handle: (request, response) => {
      const path = (request.url ?? '').split('?', 1)[0] ?? '';
      if (path.startsWith(assetsPath)) return answerAsset(request, response, path.slice(assetsPath.length));
      return path === options.endpoint && isRead(request) && wantsHtml(request) && answerPage(response);
    },
  };
}

function isRead(request: IncomingMessage): boolean {
  return request.method === 'GET' || request.method === 'HEAD';
}

function wantsHtml(request: IncomingMessage): boolean {
  return request.headers.accept?.includes('text/html') ?? false;
}

/** The page may hold a key of the demo, so nobody keeps a copy. */
function sendPage(response: ServerResponse, page: string): void {
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-length': Buffer.byteLength(page),
    'cache-control': 'no-store',
    'content-security-policy': pagePolicy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    vary: 'Accept',
  });
  response.end(page);
}
