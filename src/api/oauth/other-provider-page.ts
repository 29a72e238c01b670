import type { ClosedAccount } from '../../auth/grants/authorization.js';
import { providerById } from '../../auth/sign-in/providers.js';
import { html } from '../../http/html.js';
import { signedInFooter } from './consent-page.js';
import type { Destination } from './destination.js';
import type { OauthExchange } from './exchange.js';
import { sendPage } from './page.js';
import type { SignedIn } from './sign-in.js';
import { providerForm } from './sign-in-page.js';

/** The page for a signed-in user whose accounts all require another provider. */
export function sendOtherProviderPage(
  exchange: OauthExchange,
  signedIn: SignedIn,
  closed: readonly ClosedAccount[],
  destination: Destination,
): void {
  const { providers } = exchange.services.signIn;
  const required = [...new Set(closed.map(({ provider }) => provider))].flatMap(
    (id) => providerById(providers, id) ?? [],
  );
  sendPage(exchange, {
    title: 'Sign in with another provider',
    status: 403,
    formTargets: [destination.formTarget, ...required.map(({ issuer }) => issuer)],
    content: html`
      <h1>Sign in with another provider</h1>
      <p class="alarm" role="alert">
        You cannot enter ${closed.map(({ accountName }) => accountName).join(', ')} with this sign-in. The account
        requires another identity provider.
      </p>
      ${required.map((provider) => providerForm(exchange, destination, signedIn.cookie, provider))}
      ${signedInFooter(exchange, signedIn, destination)}
    `,
  });
}
