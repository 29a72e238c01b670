import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendText } from '../../http/answer.js';
import { chooseEncoding } from '../../http/encoding.js';
import type { Encoding } from '../../http/encoding.js';
import { isMatch } from '../../http/validator.js';
import { bootScript } from './graphiql-boot.js';
import { iconSvg } from './graphiql-icon.js';
import { signInScript, signInStyle } from './graphiql-sign-in.js';
import { encode } from './graphiql-encoding.js';

/** A file that the page needs. Its name changes with its content, so a browser may keep it for good. */
export interface GraphiqlAsset {
  fileName: string;
  mediaType: string;
  /** A strong validator: one for each encoding, as RFC 9110, section 8.8.3.3, wants it. */
  etag: (encoding: Encoding) => string;
  /** Compresses at the first call, and keeps the result. */
  body: (encoding: Encoding) => Promise<Buffer>;
}

export interface GraphiqlAssets {
  style: GraphiqlAsset;
  script: GraphiqlAsset;
  boot: GraphiqlAsset;
  signIn: GraphiqlAsset;
  signInStyle: GraphiqlAsset;
  icon: GraphiqlAsset;
  editorWorker: GraphiqlAsset;
  jsonWorker: GraphiqlAsset;
  graphqlWorker: GraphiqlAsset;
}

/**
 * GraphiQL leaves a stale transform on its tabs, and hides it until one has the focus. The tab then jumps away
 * from under the pointer, and the first click on it is lost. Hiding it for good mends that.
 */
const tabStyle = '.graphiql-tab { transform: none !important; }\n';

/** Loads GraphiQL, 9 MB of it: about a tenth of a second that only a process which serves it should spend. */
export async function loadGraphiqlAssets(): Promise<GraphiqlAssets> {
  const graphiql = await import('@graphql-yoga/render-graphiql/graphiql');
  return {
    style: createAsset('graphiql', 'css', `${graphiql.css}\n${tabStyle}`),
    script: createAsset('graphiql', 'js', graphiql.js),
    boot: createAsset('boot', 'js', bootScript),
    signIn: createAsset('sign-in', 'js', signInScript),
    signInStyle: createAsset('sign-in', 'css', signInStyle),
    icon: createAsset('icon', 'svg', iconSvg),
    editorWorker: createAsset('editor-worker', 'js', graphiql.editorWorkerService),
    jsonWorker: createAsset('json-worker', 'js', graphiql.jsonWorker),
    graphqlWorker: createAsset('graphql-worker', 'js', graphiql.graphqlWorker),
  };
}

/** Answers with the file, or with 304 when the client's copy is this one. */
export async function sendAsset(
  request: IncomingMessage,
  response: ServerResponse,
  asset: GraphiqlAsset,
): Promise<void> {
  const encoding = chooseEncoding(request.headers['accept-encoding']);
  const etag = asset.etag(encoding);
  const caching = { etag, vary: 'Accept-Encoding', 'cache-control': 'public, max-age=31536000, immutable' };
  if (isMatch(request.headers['if-none-match'], etag)) {
    response.writeHead(304, caching).end();
    return;
  }
  const body = await asset.body(encoding);
  sendText(response, 200, body, {
    ...caching,
    ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
    'content-type': asset.mediaType,
    // A worker follows the policy of its own response. These workers load nothing.
    'content-security-policy': "default-src 'none'",
  });
}

const mediaTypes = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
} as const;

function createAsset(name: string, extension: keyof typeof mediaTypes, text: string): GraphiqlAsset {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  const bodies = new Map<Encoding, Promise<Buffer>>();
  return {
    fileName: `${name}.${hash}.${extension}`,
    mediaType: mediaTypes[extension],
    etag: (encoding) => `"${hash}-${encoding}"`,
    body: (encoding) => {
      const known = bodies.get(encoding);
      if (known !== undefined) return known;
      const body = encode(text, encoding);
      bodies.set(encoding, body);
      // A failure, such as a lack of memory, fails the waiting requests; the next request retries.
      body.catch(() => bodies.delete(encoding));
      return body;
    },
  };
}
