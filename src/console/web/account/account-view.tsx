import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useAnswer } from '../api/use-answer.js';
import { NoAccount } from '../access/no-account.js';
import { client } from '../api/client.js';
import { graphql } from '../api/graphql.js';
import type { ResultOf } from '../api/graphql.js';
import { perform } from '../api/perform.js';
import { problem } from '../api/refusal.js';
import { accountPlaces } from '../frame/views.js';
import { titleOf, useAccount, viewerQuery } from '../frame/viewer.js';
import type { ViewerAccount } from '../frame/viewer.js';
import { CopyButton } from '../look/copy-button.js';
import { DialogForm, FormDialog, TextField } from '../look/form-dialog.js';
import { FailureNotice } from '../look/notice.js';
import { Skeletons } from '../look/skeletons.js';
import { Time } from '../look/time-text.js';
import { capitalize } from '../look/labels.js';
import { Fact, Section } from '../resources/section.js';
import '../access/access-view.css';
import '../resources/resource-panel.css';

const accountQuery = graphql(`
  query Account($account: ID!) {
    account(id: $account) {
      id
      name
      displayName
      version
      plan
      createdAt
      updatedAt
      viewerRole
      workspaces(first: 0) {
        totalCount
      }
    }
  }
`);

const updateAccountMutation = graphql(
  `
    mutation UpdateAccount($input: UpdateAccountInput!) {
      result: updateAccount(input: $input) {
        __typename
        ...Problem
      }
    }
  `,
  [problem],
);

type Account = NonNullable<ResultOf<typeof accountQuery>['account']>;

const route = getRouteApi('/a/$account/settings');

/** The account: its name, plan and links to its views. */
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
    <div className="view">
      <div className="view-bar">
        <h1>{titleOf(account ?? known)}</h1>
        <span className="quiet">Account</span>
        {account?.viewerRole === 'ADMIN' && <Rename account={account} onDone={refresh} />}
      </div>
      {account === undefined ? (
        error === undefined ? (
          <Skeletons />
        ) : (
          <FailureNotice error={error} onRetry={refresh} />
        )
      ) : (
        <>
          <Facts account={account} />
          <AccountLinks name={account.name} />
        </>
      )}
    </div>
  );
}

function Facts({ account }: { account: Account }): ReactElement {
  const { name, plan, viewerRole, createdAt, updatedAt, workspaces } = account;
  return (
    <Section title="Details">
      <dl className="facts">
        <Fact name="Name">
          <span className="mono">{name}</span>
          <CopyButton text={name} label="Copy account name" />
        </Fact>
        <Fact name="Plan">{plan}</Fact>
        <Fact name="Your role">{capitalize(viewerRole.toLowerCase())}</Fact>
        <Fact name="Workspaces">{workspaces?.totalCount ?? '–'}</Fact>
        <Fact name="Created">
          <Time value={createdAt} />
        </Fact>
        <Fact name="Updated">
          <Time value={updatedAt} />
        </Fact>
      </dl>
    </Section>
  );
}

/** The description of each view. */
const descriptions = new Map<string, string>([
  ['/a/$account/costs', 'Costs by resource, workspace and time'],
  ['/a/$account/usage', 'The usage events behind the costs'],
  ['/a/$account/budgets', 'Spending limits and alerts'],
  ['/a/$account/quotas', 'Limits and their use'],
  ['/a/$account/workspaces', 'Agents, sandboxes, jobs and their members'],
  ['/a/$account/members', 'Members and their roles'],
  ['/a/$account/access', 'Access for programs'],
  ['/a/$account/clients', 'Access for programs with OAuth'],
  ['/a/$account/single-sign-on', 'Identity providers, and roles of their groups'],
  ['/a/$account/activity', 'Changes of members, credentials, budgets and quotas'],
  ['/a/$account/webhooks', 'Notifications about changes'],
]);

function AccountLinks({ name }: { name: string }): ReactElement {
  return (
    <Section title="Manage">
      <dl className="facts">
        {accountPlaces
          .filter(({ to }) => descriptions.has(to))
          .map(({ to, title }) => (
            <Fact
              key={to}
              name={
                <Link to={to} params={{ account: name }} className="text-link">
                  {title}
                </Link>
              }
            >
              {descriptions.get(to)}
            </Fact>
          ))}
      </dl>
    </Section>
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

function RenameForm({ account: { name, displayName, version }, onDone }: RenameProps): ReactElement {
  const [title, setTitle] = useState(displayName ?? '');
  const send = async () => {
    const displayName = title.trim() === '' ? null : title.trim();
    const why = await perform(updateAccountMutation, {
      input: { name, ifVersion: version, metadata: { displayName } },
    });
    if (why === undefined) onDone();
    return why;
  };
  return (
    <DialogForm submit="Rename account" send={send}>
      <TextField label="Display name" hint={`Defaults to ${name}.`} maxLength={63} value={title} onChange={setTitle} />
    </DialogForm>
  );
}
