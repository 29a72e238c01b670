import type { ReactElement } from 'react';
import { CopyButton } from '../look/copy-button.js';
import { CopiedSetting, Settings } from '../look/settings.js';
import { Section } from '../resources/section.js';
import { settings } from '../session/settings.js';
import { callbackPath } from '../../../auth/sign-in/provider-callback.js';
import './connect-provider.css';

/** How an account gets an identity provider: what its admins register there, and what they send to the operator. */
export function ConnectProvider({ account }: { account: string }): ReactElement {
  // The operator can choose another one, of at most 32 characters. With this one, the redirect URI is known in advance.
  const id = account.slice(0, 32).replace(/-+$/, '');
  const entry = JSON.stringify(
    {
      id,
      name: '',
      issuer: '',
      clientId: '',
      clientSecret: '',
      domains: [''],
      groupsClaim: 'groups',
      scope: 'openid email groups',
      createUsers: true,
      accounts: [account],
    },
    null,
    2,
    // A list of one text stays in its line.
  ).replaceAll(/\[\s+("[^"]*")\s+\]/g, '[$1]');
  return (
    <Section title="Connect an identity provider">
      <ol className="steps">
        <li>
          <h3>Register an application at the provider</h3>
          <p className="quiet">
            Okta, Microsoft Entra ID, Keycloak, and every other provider of OpenID Connect. Create a web application
            with a client secret, and enter:
          </p>
          <Settings>
            <CopiedSetting name="Redirect URI" text={`${settings.issuer}${callbackPath({ id })}`} />
            <CopiedSetting name="Back-channel logout URL" text={`${settings.issuer}/oauth/backchannel-logout`} />
            <CopiedSetting name="Scopes" text="openid email groups" />
          </Settings>
        </li>
        <li>
          <h3>Send the settings to the operator</h3>
          <p className="quiet">
            The operator of this service adds them to its identity providers. Fill in the empty fields except the client
            secret, which you send separately over an encrypted channel.
          </p>
          <div className="copied-text">
            <pre className="spec-text" tabIndex={0} aria-label="Settings of the provider">
              {entry}
            </pre>
            <CopyButton text={entry} label="Copy settings of the provider" />
          </div>
        </li>
        <li>
          <h3>Give roles to groups</h3>
          <p className="quiet">
            Once the provider is connected, this page shows it. Then you give roles to its groups, and can require it
            for every sign-in to the account.
          </p>
        </li>
      </ol>
    </Section>
  );
}
