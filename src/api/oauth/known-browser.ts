// The cookie by which a browser is known again, long after its session is over.
import { knownBrowserOf, knownDaysMax, encryptKnownBrowser } from '../../auth/sign-in/known-browser.js';
import { cookieOf, setCookie } from './cookies.js';
import type { OauthExchange } from './exchange.js';

const lifeSeconds = knownDaysMax * 24 * 60 * 60;

/** The key that counts attempts in this browser, if the user has signed in here before. */
export async function knownBrowserFor(
  { services, request }: OauthExchange,
  name: string | undefined,
): Promise<string | undefined> {
  const { db, encryption, now, publicUrl } = services;
  return knownBrowserOf(db, encryption, cookieOf(request, { name: 'known', publicUrl }), name, now());
}

/** Remembers this browser for the user who has just signed in. */
export function rememberBrowser({ services, request, response }: OauthExchange, principalId: string): void {
  const { encryption, now, publicUrl } = services;
  const cookie = { name: 'known', publicUrl };
  const encrypted = encryptKnownBrowser(encryption, cookieOf(request, cookie), principalId, now());
  // Browsers send it only with forms of this service.
  setCookie(response, cookie, encrypted, ['SameSite=Strict', `Max-Age=${lifeSeconds}`]);
}
