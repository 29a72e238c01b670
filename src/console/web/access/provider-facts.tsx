import type { ReactElement } from 'react';
import { useVersionedForm } from '../editing/use-versioned-form.js';
import { Choice } from '../look/choice.js';
import { DialogForm, FormDialog } from '../look/form-dialog.js';
import { CopiedSetting, Setting, Settings } from '../look/settings.js';
import { StateMark } from '../look/state-mark.js';
import { Section } from '../resources/section.js';
import { settings } from '../session/settings.js';
import { callbackPath } from '../../../auth/sign-in/provider-callback.js';
import { providerTitle, readSignOn, requireProviderMutation } from './group-role-queries.js';
import type { Provider, SignOnAccount } from './group-role-queries.js';
import '../editing/edit-dialog.css';

interface ProviderFactsProps {
  /** The name of the account. */
  name: string;
  account: SignOnAccount;
  providers: readonly Provider[];
  onChange: () => void;
}

/** Whether the account requires a provider, and the settings of each provider that serves it. */
export function ProviderFacts({ name, account, providers, onChange }: ProviderFactsProps): ReactElement {
  const { requiredSignInProvider: required } = account;
  return (
    <>
      <Section title="Sign-in">
        <Settings>
          <Setting name="Status">
            <StateMark state="CONFIGURED" />
          </Setting>
          <Setting
            name="Required provider"
            action={<ChangeRequired name={name} account={account} providers={providers} onChange={onChange} />}
          >
            {required === null ? 'None' : <strong>{providerTitle(providers, required)}</strong>}
            <span className="quiet">
              {required === null
                ? 'Every sign-in gives access to this account.'
                : 'Other sign-ins give no access to this account.'}
            </span>
          </Setting>
        </Settings>
      </Section>
      {providers.map((provider) => (
        <ProviderSettings key={provider.providerId} provider={provider} />
      ))}
    </>
  );
}

/** The operator of the service sets these. Admins compare them with those of their identity provider. */
function ProviderSettings({ provider }: { provider: Provider }): ReactElement {
  const { providerId, name, issuer, domains, createsUsersOf, groupsClaim } = provider;
  return (
    <Section title={name}>
      <Settings>
        <CopiedSetting name="Issuer" text={issuer} />
        <CopiedSetting name="Redirect URI" text={`${settings.issuer}${callbackPath({ id: providerId })}`} />
        <CopiedSetting name="Provider ID" text={providerId} />
        <CopiedSetting name="Groups claim" text={groupsClaim} />
        <Setting name="Signs in">{domains === null ? 'All other email domains' : domains.join(', ')}</Setting>
        <Setting name="Creates users of">
          {createsUsersOf.length === 0 ? <span className="quiet">No domain</span> : createsUsersOf.join(', ')}
        </Setting>
      </Settings>
    </Section>
  );
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
  account,
  providers,
  onChange,
  close,
}: ProviderFactsProps & { close: () => void }): ReactElement {
  const { base, draft, setDraft, save, conflict } = useVersionedForm({
    stored: account,
    draftOf: ({ requiredSignInProvider }) => ({ requiredSignInProvider }),
    readAgain: () => readSignOn(account.id),
  });
  const send = async () => {
    const input = { name, ifVersion: base.version, ...draft };
    const message = await save(requireProviderMutation, { input }, close);
    onChange();
    return message;
  };
  return (
    <DialogForm submit="Save" send={send}>
      <Choice
        isField
        label="Provider"
        value={draft.requiredSignInProvider ?? anySignIn}
        options={[
          { value: anySignIn, label: 'None' },
          ...providers.map(({ providerId, name: title }) => ({ value: providerId, label: title })),
        ]}
        onChange={(chosen) => setDraft({ requiredSignInProvider: chosen === anySignIn ? null : chosen })}
      />
      {conflict}
    </DialogForm>
  );
}
