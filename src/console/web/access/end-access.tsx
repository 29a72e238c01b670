import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { attempt, perform } from '../api/perform.js';
import { plural } from '../look/amount.js';
import { Confirm } from '../look/confirm.js';
import type { DialogControl } from '../look/row-menu.js';
import { Skeletons } from '../look/skeletons.js';
import { showToast } from '../look/toasts.js';
import { countedWord } from '../webhooks/webhook-texts.js';
import { endAccessMutation } from './person-query.js';
import type { EndedAccess } from './person-query.js';

interface EndAccessProps {
  /** The email address of a user, or the name of a service account. */
  name: string;
  /** The account whose access ends; undefined for all of them, which only admins of the platform may do. */
  account: string | undefined;
  /** Opens the question from outside. Without it, a button does. */
  control?: DialogControl;
  onDone: () => void;
}

/** Ends all access of a member, to the account or everywhere. The question counts what ends and what stays. */
export function EndAccess({ name, account, control, onDone }: EndAccessProps): ReactElement {
  const [revokeCreatedKeys, setRevokeCreatedKeys] = useState(false);
  const input = { name, everywhere: account === undefined, revokeCreatedKeys };
  return (
    <Confirm
      {...(control === undefined
        ? { trigger: account === undefined ? 'End access everywhere…' : 'Remove…' }
        : { control })}
      title={account === undefined ? `End all access of ${name} everywhere?` : `Remove ${name} from the account?`}
      confirm={account === undefined ? 'End access everywhere' : 'Remove'}
      keep="Cancel"
      run={async () => {
        const why = await perform(endAccessMutation, { input });
        if (why !== undefined) return why;
        showToast(account === undefined ? `All access of ${name} ended` : `${name} removed`);
        onDone();
        return undefined;
      }}
    >
      <Consequences input={input} />
      <label className="check">
        <input
          type="checkbox"
          checked={revokeCreatedKeys}
          onChange={({ target }) => setRevokeCreatedKeys(target.checked)}
        />
        Also revoke API keys that they created for others
      </label>
    </Confirm>
  );
}

interface EndAccessInput {
  name: string;
  everywhere: boolean;
  revokeCreatedKeys: boolean;
}

/** What ends and what stays, counted by a dry run. */
function Consequences({ input: { name, everywhere, revokeCreatedKeys } }: { input: EndAccessInput }): ReactElement {
  const [found, setFound] = useState<{ ended: EndedAccess } | { why: string }>();
  useEffect(() => {
    let isCurrent = true;
    const count = async () => {
      const input = { name, everywhere, revokeCreatedKeys, validateOnly: true };
      const { done, why } = await attempt(endAccessMutation, { input });
      if (!isCurrent) return;
      if (why !== undefined) setFound({ why });
      else if (done.__typename === 'EndAccessPayload') setFound({ ended: done });
    };
    void count();
    return () => {
      isCurrent = false;
    };
  }, [name, everywhere, revokeCreatedKeys]);
  if (found === undefined) return <Skeletons />;
  if ('why' in found) return <p className="problem">{found.why}</p>;
  return <Counts ended={found.ended} isEverywhere={everywhere} />;
}

function Counts({ ended, isEverywhere }: { ended: EndedAccess; isEverywhere: boolean }): ReactElement {
  const parts = [
    [ended.sessions, 'browser session'],
    [ended.memberships, 'membership'],
    [ended.apiKeys, 'API key'],
    [ended.createdApiKeys, 'API key of others', 'API keys of others'],
    [ended.oauthClients, 'OAuth client'],
    [ended.authorizations, 'authorized application'],
    [ended.accessTokens, 'access token'],
    [ended.invitations, 'invitation'],
  ] as const;
  const kept = byKind(ended.created);
  return (
    <>
      <p>
        {isEverywhere
          ? 'The user is disabled. These end in all accounts within a second:'
          : 'These end in the account and all its workspaces within a second:'}
      </p>
      <ul className="holdings" aria-label="What ends">
        {parts.flatMap(([count, one, many]) => (count === 0 ? [] : [<li key={one}>{plural(count, one, many)}</li>]))}
      </ul>
      {ended.keptAccounts.length > 0 && (
        <p>
          Stays a member of {ended.keptAccounts.join(', ')}, which {ended.keptAccounts.length === 1 ? 'has' : 'have'} no
          other admin.
        </p>
      )}
      {kept.size > 0 && (
        <p>
          Resources that they created stay:{' '}
          {[...kept].map(([kind, count]) => `${count} ${countedWord(count, kind)}`).join(', ')}.
        </p>
      )}
      <p className="quiet">A new invitation does not restore credentials.</p>
    </>
  );
}

function byKind(created: EndedAccess['created']): Map<EndedAccess['created'][number]['kind'], number> {
  const counts = new Map<EndedAccess['created'][number]['kind'], number>();
  for (const { kind, count } of created) counts.set(kind, (counts.get(kind) ?? 0) + count);
  return counts;
}
