import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useAnswer } from '../api/use-answer.js';
import { NoAccount } from '../access/no-account.js';
import { client, pageClient } from '../api/client.js';
import { graphql } from '../api/graphql.js';
import type { ResultOf } from '../api/graphql.js';
import { perform } from '../api/perform.js';
import { problem, refusal } from '../api/refusal.js';
import { useVersionedForm } from '../editing/use-versioned-form.js';
import type { accountPlaces } from '../frame/views.js';
import { titleOf, useAccount, viewerQuery } from '../frame/viewer.js';
import type { ViewerAccount } from '../frame/viewer.js';
import { Confirm } from '../look/confirm.js';
import { CopyButton } from '../look/copy-button.js';
import { DialogForm, FormDialog, TextField } from '../look/form-dialog.js';
import { MissingSection } from '../look/missing-section.js';
import { FailureNotice } from '../look/notice.js';
import { Skeletons } from '../look/skeletons.js';
import { Time } from '../look/time-text.js';
import { capitalize } from '../look/labels.js';
import { Setting, Settings } from '../look/settings.js';
import { Section } from '../resources/section.js';
import { signOut } from '../session/session.js';
import '../editing/edit-dialog.css';

const accountQuery = graphql(`
  query Account($account: ID!) {
    account(id: $account) {
      id
      name
      displayName
      version
      plan
      createdAt
      viewerRole
      workspaces(first: 0) {
        totalCount
      }
    }
  }
`);

const contentsQuery = graphql(`
  query AccountContents($account: ID!) {
    account(id: $account) {
      id
      requiredSignInProvider
      signInProviders {
        providerId
        name
      }
      members(first: 0) {
        totalCount
      }
      webhooks(first: 0) {
        totalCount
      }
      budgets(first: 0) {
        totalCount
      }
    }
    apiKeys(first: 0, status: ACTIVE) {
      filteredCount
    }
    oauthClients(first: 0) {
      totalCount
    }
  }
`);

const leaveAccountMutation = graphql(
  `
    mutation LeaveAccount {
      result: leaveAccount(input: {}) {
        __typename
        ...Problem
      }
    }
  `,
  [problem],
);

const updateAccountMutation = graphql(
  `
    mutation UpdateAccount($input: UpdateAccountInput!) {
      result: updateAccount(input: $input) {
        __typename
        ...Refusal
      }
    }
  `,
  [refusal],
);

type Account = NonNullable<ResultOf<typeof accountQuery>['account']>;

const route = getRouteApi('/a/$account/settings');

/** The settings of the account: its name, plan and contents. */
export function AccountView(): ReactElement {
  const { account: name } = route.useParams();
  const account = useAccount(name);
  return account === undefined ? <NoAccount name={name} /> : <OneAccount key={account.id} known={account} />;
}

function OneAccount({ known }: { known: ViewerAccount }): ReactElement {
  const [{ data, error }, again] = useAnswer({ query: accountQuery, variables: { account: known.id } });
  const refresh = () => {
    again({ requestPolicy: 'network-only' });
    // The rail and the breadcrumb show the name as well.
    void client.query(viewerQuery, {}, { requestPolicy: 'network-only' }).toPromise();
  };
  const account = data?.account ?? undefined;
  return (
    <div className="view settings-view">
      <div className="view-bar">
        <h1>Account</h1>
      </div>
      {account === undefined ? (
        error === undefined ? (
          <Skeletons />
        ) : (
          <FailureNotice error={error} onRetry={refresh} />
        )
      ) : (
        <>
          <General account={account} onChange={refresh} />
          {account.viewerRole === 'ADMIN' && <Contents account={account} />}
          <Section title="Danger zone" isDanger>
            <Settings>
              <Setting name="Leave account" action={<LeaveAccount title={titleOf(account)} />}>
                Ends your access to the account and its workspaces.
              </Setting>
            </Settings>
          </Section>
        </>
      )}
    </div>
  );
}

function General({ account, onChange }: { account: Account; onChange: () => void }): ReactElement {
  const { name, plan, viewerRole, createdAt, workspaces } = account;
  return (
    <Section title="General">
      <Settings>
        <Setting
          name="Display name"
          action={viewerRole === 'ADMIN' ? <Rename account={account} onDone={onChange} /> : undefined}
        >
          <bdi>{titleOf(account)}</bdi>
        </Setting>
        <Setting name="Name in the API" action={<CopyButton text={name} label="Copy account name" />}>
          <span className="mono">{name}</span>
        </Setting>
        <Setting name="Plan">{capitalize(plan)}</Setting>
        <Setting name="Your role">{capitalize(viewerRole.toLowerCase())}</Setting>
        <Setting name="Workspaces" action={<ViewLink to="/a/$account/workspaces" account={name} what="workspaces" />}>
          {workspaces?.totalCount ?? '–'}
        </Setting>
        <Setting name="Created">
          <Time value={createdAt} />
        </Setting>
      </Settings>
    </Section>
  );
}

/** What the account has besides its workspaces. Only its admins see all of it. */
function Contents({ account: { id, name } }: { account: Account }): ReactElement {
  const [{ data, error }, again] = useAnswer({ query: contentsQuery, variables: { account: id } });
  if (data === undefined) {
    return (
      <MissingSection
        title="Access and billing"
        error={error}
        onRetry={() => again({ requestPolicy: 'network-only' })}
      />
    );
  }
  const found = data.account;
  const rows = [
    ['/a/$account/members', 'Members', found?.members?.totalCount],
    ['/a/$account/access', 'Active API keys', data.apiKeys?.filteredCount],
    ['/a/$account/clients', 'OAuth clients', data.oauthClients?.totalCount],
    ['/a/$account/single-sign-on', 'Single sign-on', found == null ? undefined : signOnText(found)],
    ['/a/$account/webhooks', 'Webhooks', found?.webhooks?.totalCount],
    ['/a/$account/budgets', 'Budgets', found?.budgets?.totalCount],
  ] as const;
  return (
    <Section title="Access and billing">
      <Settings>
        {rows.map(([to, title, value]) => (
          <Setting key={to} name={title} action={<ViewLink to={to} account={name} what={title.toLowerCase()} />}>
            {value ?? '–'}
          </Setting>
        ))}
      </Settings>
    </Section>
  );
}

type Contained = NonNullable<ResultOf<typeof contentsQuery>['account']>;

function signOnText({ requiredSignInProvider: required, signInProviders }: Contained): string {
  const providers = signInProviders ?? [];
  if (required !== null) {
    return `${providers.find(({ providerId }) => providerId === required)?.name ?? required}, required`;
  }
  return providers.length === 0 ? 'Not configured' : providers.map(({ name }) => name).join(', ');
}

type AccountPath = (typeof accountPlaces)[number]['to'];

function ViewLink({ to, account, what }: { to: AccountPath; account: string; what: string }): ReactElement {
  return (
    <Link to={to} params={{ account }} className="text-link" aria-label={`View ${what}`}>
      View
    </Link>
  );
}

/** Ends the own membership. The account cannot lose its last admin. */
function LeaveAccount({ title }: { title: string }): ReactElement {
  return (
    <Confirm
      trigger="Leave…"
      label="Leave account"
      title={`Leave ${title}?`}
      confirm="Leave account"
      keep="Cancel"
      run={async () => {
        const why = await perform(leaveAccountMutation, {});
        if (why === undefined) await signOut();
        return why;
      }}
    >
      Your API keys, OAuth clients and authorized applications of the account are revoked, in all workspaces. Resources
      that you created are kept. To come back, you need an invitation.
    </Confirm>
  );
}

interface RenameProps {
  account: Account;
  onDone: () => void;
}

function Rename({ account, onDone }: RenameProps): ReactElement {
  return (
    <FormDialog
      trigger="Rename…"
      title="Rename account"
      description="Changes the display name. The account name used by the API stays the same."
    >
      {(close) => (
        <RenameForm
          account={account}
          onDone={() => {
            close();
            onDone();
          }}
        />
      )}
    </FormDialog>
  );
}

function RenameForm({ account, onDone }: RenameProps): ReactElement {
  const { name } = account;
  const { base, draft, setDraft, save, conflict } = useVersionedForm({
    stored: account,
    draftOf: ({ displayName }) => ({ displayName: displayName ?? '' }),
    readAgain: () => readAccount(account.id),
  });
  const send = async () => {
    const displayName = draft.displayName.trim() === '' ? null : draft.displayName.trim();
    const input = { name, ifVersion: base.version, metadata: { displayName } };
    return save(updateAccountMutation, { input }, onDone);
  };
  return (
    <DialogForm submit="Rename account" send={send}>
      <TextField
        label="Display name"
        hint={`Defaults to ${name}.`}
        maxLength={63}
        value={draft.displayName}
        onChange={(displayName) => setDraft({ displayName })}
      />
      {conflict}
    </DialogForm>
  );
}

/** Reads an account again; undefined if the service did not respond. */
async function readAccount(id: string): Promise<Account | undefined> {
  const { data } = await pageClient.query(accountQuery, { account: id }).toPromise();
  return data?.account ?? undefined;
}
