// The HTML pages: without scripts, not cached, not framed, and with forms that post only to this service.
import { sendText } from '../../http/answer.js';
import { record } from './exchange.js';
import type { OauthExchange } from './exchange.js';
import { Html, html } from '../../http/html.js';
import { pageStyle, styleSource, typefaceStyle } from './page-style.js';
import { oauthFailureOf } from './send-error.js';

export interface Page {
  title: string;
  content: Html;
  status?: number;
  /** Other URLs that forms may redirect to. Browsers block all other redirects after a form. */
  formTargets?: (string | undefined)[];
}

export function sendPage({ response, services }: OauthExchange, page: Page): void {
  const typeface = services.typeface();
  const styles = typeface === undefined ? [pageStyle] : [pageStyle, typefaceStyle(typeface)];
  const text = documentOf(page, styles).text;
  sendText(response, page.status ?? 200, text, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy(page.formTargets ?? [], styles),
    'cross-origin-opener-policy': 'same-origin',
  });
}

function documentOf({ title, content }: Page, styles: readonly string[]): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title}</title>
        ${styleElements(styles)}
      </head>
      <body>
        <main>${mark} ${content}</main>
      </body>
    </html>`;
}

/** The mark of the console, above the title of each page. */
const mark = new Html(
  `<p class="mark"><svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#3b4bdb"/><g fill="#fff"><rect x="8" y="8" width="16" height="4" rx="2"/><rect x="8" y="14" width="16" height="4" rx="2" opacity=".75"/><rect x="8" y="20" width="16" height="4" rx="2" opacity=".5"/></g></svg> Workload Control Plane</p>`,
);

/** Must match the hashes in the policy exactly. */
function styleElements(styles: readonly string[]): Html {
  return new Html(styles.map((style) => `<style>${style}</style>`).join(''));
}

/** Shows an error that must not be sent to the client, because its redirect URI is not verified. */
export function sendPageError(exchange: OauthExchange, error: unknown): void {
  const { reason, status, headers } = oauthFailureOf(exchange, error);
  record(exchange, 'authorization_refused', { ...reason.subject, error: reason.code });
  for (const [name, value] of Object.entries(headers)) exchange.response.setHeader(name, value);
  const isOurs = status >= 500;
  sendPage(exchange, {
    title: isOurs ? 'Something went wrong' : 'Sign-in failed',
    status: status === 401 ? 400 : status,
    content: html`
      <h1>${isOurs ? 'Something went wrong' : 'Sign-in failed'}</h1>
      <p class="alarm" role="alert">${reason.message}</p>
      <p class="quiet">Return to the application and try again.</p>
      <p class="quiet">Request id: ${exchange.visitor.requestId}</p>
    `,
  });
}

/** Rejects a form that has expired or was issued for another browser or request. */
export function sendStaleForm(exchange: OauthExchange, { page, query }: { page: string; query: string }): void {
  record(exchange, 'authorization_refused', { error: 'access_denied', reason: 'form token' });
  sendPage(exchange, {
    title: 'This page has expired',
    status: 403,
    content: html`
      <h1>This page has expired</h1>
      <p class="alarm" role="alert">This form is no longer valid. Nothing was changed.</p>
      <p><a href="${page}?${query}">Start again</a></p>
    `,
  });
}

function policy(formTargets: (string | undefined)[], styles: readonly string[]): string {
  return [
    "default-src 'none'",
    `style-src ${styles.map(styleSource).join(' ')}`,
    "font-src 'self'",
    `form-action ${["'self'", ...formSources(formTargets)].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/**
 * The allowed targets of a form that ends at a redirect URI. Browsers check the whole chain of redirects, and a client may
 * redirect to any of its own URLs, so these are schemes, not origins.
 */
function formSources(uris: (string | undefined)[]): string[] {
  const schemes = uris.flatMap((uri) => (uri === undefined ? [] : ['https:', new URL(uri).protocol]));
  return [...new Set(schemes)];
}
