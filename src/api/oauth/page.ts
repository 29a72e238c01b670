// Pages for people: HTML that needs no script, that nobody keeps, frames, or sends forms from to anywhere else.
import { sendText } from '../../http/answer.js';
import { record } from './exchange.js';
import type { OauthExchange } from './exchange.js';
import { Html, html } from '../../http/html.js';
import { pageStyle, styleSource } from './page-style.js';
import { oauthFailureOf } from './send-error.js';

export interface Page {
  title: string;
  content: Html;
  status?: number;
  /** Where its forms may lead beside this service: browsers follow redirects after a form only to there, and on from there. */
  formTargets?: (string | undefined)[];
}

export function sendPage({ response }: OauthExchange, page: Page): void {
  const text = documentOf(page).text;
  sendText(response, page.status ?? 200, text, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy(page.formTargets ?? []),
    'cross-origin-opener-policy': 'same-origin',
  });
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
  const { reason, status, headers } = oauthFailureOf(exchange, error);
  record(exchange, 'authorization_refused', { ...reason.subject, error: reason.code });
  for (const [name, value] of Object.entries(headers)) exchange.response.setHeader(name, value);
  const isOurs = status >= 500;
  sendPage(exchange, {
    title: isOurs ? 'Something went wrong' : 'This sign-in cannot go on',
    status: status === 401 ? 400 : status,
    content: html`
      <h1>${isOurs ? 'Something went wrong' : 'This sign-in cannot go on'}</h1>
      <p class="alarm" role="alert">${reason.message}</p>
      <p class="quiet">Go back to the program that you came from, and try again from there.</p>
      <p class="quiet">Request ${exchange.visitor.requestId}</p>
    `,
  });
}

/** A form that was made too long ago, or for another browser or request. Nothing was done. */
export function sendStaleForm(exchange: OauthExchange, { page, query }: { page: string; query: string }): void {
  record(exchange, 'authorization_refused', { error: 'access_denied', reason: 'form token' });
  sendPage(exchange, {
    title: 'This page has expired',
    status: 403,
    content: html`
      <h1>This page has expired</h1>
      <p class="alarm" role="alert">The form was not sent from a page that this service made for you just now.</p>
      <p><a href="${page}?${query}">Start again</a></p>
    `,
  });
}

function policy(formTargets: (string | undefined)[]): string {
  return [
    "default-src 'none'",
    `style-src ${styleSource}`,
    `form-action ${["'self'", ...formSources(formTargets)].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/**
 * Where a form may lead that ends at a redirect URI. Browsers hold the whole chain of redirects against it, and a client may
 * send its user on to any address of its own: so it names schemes, not origins.
 */
function formSources(uris: (string | undefined)[]): string[] {
  const schemes = uris.flatMap((uri) => (uri === undefined ? [] : ['https:', new URL(uri).protocol]));
  return [...new Set(schemes)];
}
