import { useState } from 'react';
import type { ReactElement } from 'react';
import { workspaceMembersQuery } from '../access/member-queries.js';
import { graphql } from '../api/graphql.js';
import { perform } from '../api/perform.js';
import { problem } from '../api/refusal.js';
import { useAnswer } from '../api/use-answer.js';
import { titleOf, useViewer } from '../frame/viewer.js';
import type { ViewerAccount } from '../frame/viewer.js';
import { CopyButton } from '../look/copy-button.js';
import { DialogForm, FormDialog, TextField } from '../look/form-dialog.js';
import { showToast } from '../look/toasts.js';
import { formatLimit, usedText } from './limits.js';
import type { Limit } from './limits.js';

const setQuotasMutation = graphql(
  `
    mutation SetQuotas($input: SetQuotasInput!) {
      result: setQuotas(input: $input) {
        __typename
        ...Problem
      }
    }
  `,
  [problem],
);

interface RaiseQuotaProps {
  limit: Limit;
  /** The name of what it limits, such as Agents. */
  label: string;
  account: ViewerAccount;
  onDone: () => void;
}

/**
 * Raises a limit, or says who can. An admin of the account sets the limits of its workspaces; the others are set by admins of
 * the platform.
 */
export function RaiseQuota({ limit, label, account, onDone }: RaiseQuotaProps): ReactElement {
  const { workspace, scope } = limit;
  const { isPlatformAdmin } = useViewer();
  const what = `${label.toLowerCase()} of ${workspace ?? scope.toLowerCase()}`;
  if (isPlatformAdmin || (workspace !== undefined && account.viewerRole === 'ADMIN')) {
    return (
      <FormDialog trigger="Raise…" label={`Raise the limit of ${what}`} title={`Limit of ${what}`}>
        {(close) => (
          <RaiseForm
            limit={limit}
            account={account}
            label={label}
            onDone={() => {
              close();
              onDone();
            }}
          />
        )}
      </FormDialog>
    );
  }
  return (
    <FormDialog trigger="Ask…" label={`Ask for a higher limit of ${what}`} title={`A higher limit of ${what}`}>
      {() => <WhomToAsk limit={limit} label={label} account={account} />}
    </FormDialog>
  );
}

interface RaiseFormProps {
  limit: Limit;
  account: ViewerAccount;
  label: string;
  onDone: () => void;
}

function RaiseForm({ limit, account, label, onDone }: RaiseFormProps): ReactElement {
  const [amount, setAmount] = useState(String(limit.limit));
  const send = async () => {
    if (!/^\d{1,15}$/.test(amount.trim())) return 'The limit must be a whole number from 0.';
    const limits = [{ resource: limit.resource, limit: Number(amount) }];
    const { workspace, region } = limit;
    const target =
      workspace === undefined ? { account: account.name, ...(region === null ? {} : { region }) } : { workspace };
    const why = await perform(setQuotasMutation, { input: { ...target, limits } });
    if (why !== undefined) return why;
    showToast(`Limit of ${label.toLowerCase()} set to ${formatLimit(limit.resource, Number(amount))}`);
    onDone();
    return undefined;
  };
  return (
    <DialogForm submit="Set limit" send={send}>
      <p className="quiet">{usedText(limit)} used.</p>
      <TextField
        label={limit.resource === 'MEMORY' ? `${label} (MB)` : label}
        hint={limit.workspace === undefined ? undefined : 'Up to the limit of the account.'}
        inputMode="numeric"
        isRequired
        value={amount}
        onChange={setAmount}
      />
    </DialogForm>
  );
}

/** Who can raise a limit, and a text to send them. */
function WhomToAsk({ limit, label, account }: Omit<RaiseQuotaProps, 'onDone'>): ReactElement {
  const { workspace, region, resource } = limit;
  const [{ data }] = useAnswer({
    query: workspaceMembersQuery,
    variables: { workspace: workspace ?? '', role: 'ADMIN' },
    pause: workspace === undefined,
  });
  const admins = (data?.workspace?.members?.nodes ?? []).filter(({ kind }) => kind === 'USER');
  const where =
    workspace !== undefined
      ? `--workspace ${workspace}`
      : `--account ${account.name}${region === null ? '' : ` --region ${region}`}`;
  const use = usedText(limit);
  const place = workspace ?? `${titleOf(account)}${region === null ? '' : ` in ${region}`}`;
  const text = `Please raise the limit of ${label.toLowerCase()} for ${place}: ${use} is used.\ncontrol-plane quotas set ${resource}=… ${where}`;
  return (
    <div className="form">
      {workspace === undefined ? (
        <p>Admins of the platform set the limits of accounts and regions. Send them this request:</p>
      ) : (
        <>
          <p>An admin of the account {titleOf(account)} sets the limits of its workspaces. Send them this request:</p>
          {admins.length > 0 && <p className="wrap">{admins.map(({ name }) => name).join(', ')}</p>}
        </>
      )}
      <div className="secret">
        <pre className="wrap quota-request">{text}</pre>
        <CopyButton text={text} label="Copy request" />
      </div>
    </div>
  );
}
