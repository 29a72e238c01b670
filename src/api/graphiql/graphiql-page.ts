import { escapeHtml } from '../../http/html.js';
import { iconSvg } from './graphiql-icon.js';
import type { GraphiqlAsset, GraphiqlAssets } from './graphiql-assets.js';
import { signInBar } from './graphiql-sign-in.js';
import type { GraphiqlSignIn } from './graphiql-sign-in.js';

/** A query that GraphiQL opens with, in a tab named after its operation. `variables` is the text of a JSON object. */
export interface GraphiqlTab {
  query: string;
  variables?: string;
}

export interface GraphiqlOptions {
  /** Path of the GraphQL endpoint, such as `/graphql`. */
  endpoint: string;
  /** The initial content of the headers pane; by default, a placeholder for an API key. Not stored by the browser. */
  defaultHeaders?: Record<string, string>;
  /** Shown until the browser has stored tabs. GraphiQL ignores the variables of the first tab at its first visit. */
  tabs: GraphiqlTab[];
  title: string;
  /** Lets people sign in instead of pasting a key. */
  signIn?: GraphiqlSignIn;
}

/**
 * The Content-Security-Policy of the page: nothing but this server, and no inline script. The editor writes
 * styles into the page, and its fonts and pictures are data in the style sheet.
 */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "connect-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self' data:",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const headersHint = { Authorization: 'Bearer <paste an API key here>' };

/** The HTML of GraphiQL. URLs are relative, so that it also works behind a proxy that adds a prefix. */
export function renderGraphiqlPage(options: GraphiqlOptions, assets: GraphiqlAssets): string {
  const endpointName = options.endpoint.slice(options.endpoint.lastIndexOf('/') + 1);
  const folder = `${endpointName}/assets`;
  const addressOf = (asset: GraphiqlAsset) => `${folder}/${asset.fileName}`;
  // GraphiQL treats the title and the logo as HTML.
  const title = escapeHtml(options.title);
  const settings = {
    workers: {
      editorWorkerService: addressOf(assets.editorWorker),
      json: addressOf(assets.jsonWorker),
      graphql: addressOf(assets.graphqlWorker),
    },
    ...(options.signIn === undefined ? {} : { signIn: options.signIn, endpoint: endpointName }),
    options: {
      title,
      logo: iconSvg,
      headers: JSON.stringify(options.defaultHeaders ?? headersHint, null, 2),
      shouldPersistHeaders: false,
      defaultTabs: options.tabs,
    },
  };
  const hasSignIn = options.signIn !== undefined;
  const signInHead = hasSignIn
    ? `    <link rel="stylesheet" href="${addressOf(assets.signInStyle)}" />
    <script defer src="${addressOf(assets.signIn)}"></script>
`
    : '';
  const signInBody = hasSignIn ? `    ${signInBar}\n` : '';
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title}</title>
    <link rel="icon" type="image/svg+xml" href="${addressOf(assets.icon)}" />
    <link rel="stylesheet" href="${addressOf(assets.style)}" />
${signInHead}    <script defer src="${addressOf(assets.script)}"></script>
    <script defer src="${addressOf(assets.boot)}"></script>
  </head>
  <body class="no-focus-outline">
    <noscript>GraphiQL needs JavaScript.</noscript>
${signInBody}    <div id="root"></div>
    <script type="application/json" id="settings">${escapeScript(JSON.stringify(settings))}</script>
  </body>
</html>
`;
}

/** JSON can contain `</script>`, so its angle brackets are escaped. */
function escapeScript(json: string): string {
  return json.replaceAll('<', '\\u003c');
}
