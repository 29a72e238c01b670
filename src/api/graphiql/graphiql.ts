// GraphiQL, served by this server only, so that it works without Internet access.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '../../errors.js';
import { sendText } from '../../http/answer.js';
import { methodNotAllowed } from '../../http/method.js';
import { namesMediaType } from '../../input/accept.js';
import { loadGraphiqlAssets, sendAsset } from './graphiql-assets.js';
import type { GraphiqlAsset } from './graphiql-assets.js';
import { pagePolicy, renderGraphiqlPage } from './graphiql-page.js';
import type { GraphiqlOptions } from './graphiql-page.js';

export interface Graphiql {
  /**
   * Answers a browser's GET of the endpoint with the page, and `<endpoint>/assets/…` with its files. Neither
   * needs a credential. Returns `false` immediately, without a response, for any other request.
   *
   * @throws 404 `not_found` for an unknown file, 405 `method_not_allowed` for anything but GET and HEAD of one.
   */
  handle: (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>;
}

/**
 * The assets are loaded at the first request for the page.
 *
 * @param ownHeaders replace the default headers in the headers pane, if the browser used a host name of this service.
 */
export function createGraphiql(options: GraphiqlOptions, ownHeaders?: OwnHeaders): Graphiql {
  let loading: ReturnType<typeof load> | undefined;

  async function load() {
    const assets = await loadGraphiqlAssets();
    const assetsByName = new Map<string, GraphiqlAsset>(Object.values(assets).map((asset) => [asset.fileName, asset]));
    const ownPage = ownHeaders && renderGraphiqlPage({ ...options, defaultHeaders: ownHeaders.headers }, assets);
    return { page: renderGraphiqlPage(options, assets), ownPage, assetsByName };
  }

  async function answerAsset(request: IncomingMessage, response: ServerResponse, fileName: string): Promise<boolean> {
    if (!isRead(request)) {
      throw methodNotAllowed(['GET']);
    }
    const { assetsByName } = await (loading ??= load());
    const asset = assetsByName.get(fileName);
    if (asset === undefined) throw new ApiError('not_found', 'No endpoint has this path.');
    await sendAsset(request, response, asset);
    return true;
  }

  async function answerPage(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const { page, ownPage = page } = await (loading ??= load());
    sendPage(response, ownHeaders?.isOwn(request) === true ? ownPage : page);
    return true;
  }

  const assetsPath = `${options.endpoint}/assets/`;
  return {
    handle: (request, response) => {
      const path = (request.url ?? '').split('?', 1)[0] ?? '';
      if (path.startsWith(assetsPath)) return answerAsset(request, response, path.slice(assetsPath.length));
      return path === options.endpoint && isRead(request) && wantsHtml(request) && answerPage(request, response);
    },
  };
}

interface OwnHeaders {
  headers: Record<string, string>;
  isOwn: (request: IncomingMessage) => boolean;
}

function isRead(request: IncomingMessage): boolean {
  return request.method === 'GET' || request.method === 'HEAD';
}

function wantsHtml(request: IncomingMessage): boolean {
  return namesMediaType(request.headers.accept, 'text/html');
}

/** The page may contain a key of the demo, so it must not be cached. */
function sendPage(response: ServerResponse, page: string): void {
  sendText(response, 200, page, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': pagePolicy,
  });
}
