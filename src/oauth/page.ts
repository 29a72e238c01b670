// Pages for people: HTML that needs no script, that nobody keeps, frames, or sends forms from to anywhere else.
import { record } from './exchange.js';
import type { OauthExchange } from './exchange.js';
import { Html, html } from './html.js';
import { pageStyle, styleSource } from './page-style.js';
import { oauthErrorFrom } from './send-error.js';

export interface Page {
  title: string;
  content: Html;
  status?: number;
  /** Where its forms may lead beside this service: browsers follow redirects after a form only to there. */
  formTarget?: string;
}

export function sendPage({ response }: OauthExchange, page: Page): void {
  const text = documentOf(page).text;
  response.writeHead(page.status ?? 200, {
    'content-type': 'text/html; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'content-security-policy': policy(page.formTarget),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  });
  response.end(text);
}

function documentOf({ title, content }: Page): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title}</title>
        ${styleElement}
      </head>
      <body>
        <main>${content}</main>
      </body>
    </html>`;
}

/** To the byte what the policy has the hash of. */
const styleElement = new Html(`<style>${pageStyle}</style>`);

/** What cannot be told to the client, because it is not known where that would be safe. */
export function sendPageError(exchange: OauthExchange, error: unknown): void {
  const failure = oauthErrorFrom(exchange, error);
  record(exchange, 'authorization_refused', { ...failure.subject, error: failure.code });
  const isOurs = failure.status >= 500;
  sendPage(exchange, {
    title: isOurs ? 'Something went wrong' : 'This sign-in cannot go on',
    status: failure.status === 401 ? 400 : failure.status,
    content: html`
      <h1>${isOurs ? 'Something went wrong' : 'This sign-in cannot go on'}</h1>
      <p class="alarm" role="alert">${failure.message}</p>
      <p class="quiet">Go back to the program that you came from, and try again from there.</p>
      <p class="quiet">Request ${exchange.visitor.requestId}</p>
    `,
  });
}

/** A form that was made too long ago, or for another browser or request. Nothing was done. */
export function sendStaleForm(exchange: OauthExchange, query: string): void {
  record(exchange, 'authorization_refused', { error: 'access_denied', reason: 'form token' });
  sendPage(exchange, {
    title: 'This page has expired',
    status: 403,
    content: html`
      <h1>This page has expired</h1>
      <p class="alarm" role="alert">The form was not sent from a page that this service made for you just now.</p>
      <p><a href="authorize?${query}">Start again</a></p>
    `,
  });
}

function policy(formTarget: string | undefined): string {
  return [
    "default-src 'none'",
    `style-src ${styleSource}`,
    `form-action ${["'self'", ...(formTarget === undefined ? [] : [formSource(formTarget)])].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** A redirect URI as a source of a Content-Security-Policy, which knows no IPv6 addresses and no opaque schemes. */
function formSource(uri: string): string {
  const { protocol, hostname, origin } = new URL(uri);
  const hasOrigin = /^https?:$/.test(protocol) && !hostname.startsWith('[');
  return hasOrigin ? origin : protocol;
}
