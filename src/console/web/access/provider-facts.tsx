import { useState } from 'react';
import type { ReactElement } from 'react';
import { perform } from '../api/perform.js';
import { Choice } from '../look/choice.js';
import { DialogForm, FormDialog } from '../look/form-dialog.js';
import { Fact, Section } from '../resources/section.js';
import { providerTitle, requireProviderMutation } from './group-role-queries.js';
import type { Provider, SignOnAccount } from './group-role-queries.js';

interface ProviderFactsProps {
  /** The name of the account. */
  name: string;
  account: SignOnAccount;
  providers: readonly Provider[];
  onChange: () => void;
}

/** The required provider, and the providers that serve the account. */
export function ProviderFacts({ name, account, providers, onChange }: ProviderFactsProps): ReactElement {
  const { requiredSignInProvider: required } = account;
  return (
    <Section
      title="Identity providers"
      aside={<ChangeRequired name={name} account={account} providers={providers} onChange={onChange} />}
    >
      <dl className="facts">
        <Fact name="Required">
          {required === null
            ? 'None. Every sign-in gives access to this account.'
            : `${providerTitle(providers, required)}. Other sign-ins give no access to this account.`}
        </Fact>
        {providers.map((provider) => (
          <Fact key={provider.providerId} name={provider.name}>
            <span>{factsOf(provider)}</span>
          </Fact>
        ))}
      </dl>
    </Section>
  );
}

/** Such as "https://login.acme.example. Signs in acme.example. Creates no users. Groups are in the claim groups." */
function factsOf({ issuer, domains, createsUsersOf, groupsClaim }: Provider): string {
  const signsIn = domains === null ? 'all email domains without a provider of their own' : domains.join(', ');
  const creates = createsUsersOf.length === 0 ? 'Creates no users.' : `Creates users of ${createsUsersOf.join(', ')}.`;
  return `${issuer}. Signs in ${signsIn}. ${creates} Groups are in the claim ${groupsClaim}.`;
}

const anySignIn = '';

function ChangeRequired(props: ProviderFactsProps): ReactElement {
  return (
    <FormDialog
      trigger="Change…"
      label="Change the required provider"
      title="Required identity provider"
      description="Users who signed in otherwise lose access to this account within one second. API keys and OAuth clients are not affected."
    >
      {(close) => <RequiredForm {...props} close={close} />}
    </FormDialog>
  );
}

function RequiredForm({
  name,
  account: { version, requiredSignInProvider },
  providers,
  onChange,
  close,
}: ProviderFactsProps & { close: () => void }): ReactElement {
  const [required, setRequired] = useState(requiredSignInProvider ?? anySignIn);
  const send = async () => {
    const why = await perform(requireProviderMutation, {
      input: { name, ifVersion: version, requiredSignInProvider: required === anySignIn ? null : required },
    });
    onChange();
    if (why === undefined) close();
    return why;
  };
  return (
    <DialogForm submit="Save" send={send}>
      <Choice
        isField
        label="Provider"
        value={required}
        options={[
          { value: anySignIn, label: 'None' },
          ...providers.map(({ providerId, name: title }) => ({ value: providerId, label: title })),
        ]}
        onChange={setRequired}
      />
    </DialogForm>
  );
}
