import type { ReactElement } from 'react';
import { useAnswer } from '../api/use-answer.js';
import { client } from '../api/client.js';
import { viewerQuery } from '../frame/viewer.js';
import { Confirm } from '../look/confirm.js';
import { capitalize } from '../look/labels.js';
import { MissingSection } from '../look/missing-section.js';
import { Section } from '../resources/section.js';
import { allowanceOf } from './invitation-texts.js';
import { acceptInvitationMutation, declineInvitationMutation, myInvitationsQuery } from './member-queries.js';
import { perform } from '../api/perform.js';

/** The user's pending invitations; nothing if there are none. */
export function MyInvitations(): ReactElement | null {
  const [{ data, error }, again] = useAnswer({ query: myInvitationsQuery });
  if (data === undefined && error !== undefined) {
    return (
      <MissingSection title="Your invitations" error={error} onRetry={() => again({ requestPolicy: 'network-only' })} />
    );
  }
  const waiting = data?.viewer.invitations?.filter(({ status }) => status === 'PENDING') ?? [];
  if (waiting.length === 0) return null;
  const done = () => {
    again({ requestPolicy: 'network-only' });
    // There may be a new workspace.
    void client.query(viewerQuery, {}, { requestPolicy: 'network-only' }).toPromise();
  };
  return (
    <Section title="Your invitations">
      <ul className="keys-list">
        {waiting.map(({ id, accountName, workspaceName, role, invitedBy }) => {
          const tenant = workspaceName ?? accountName;
          return (
            <li key={id}>
              <div>
                <strong>{tenant}</strong>
                <p className="quiet">
                  {capitalize(role.toLowerCase())}: {allowanceOf(role, workspaceName)}
                  {workspaceName === null ? '' : `, in the account ${accountName}`}
                  {invitedBy === null ? '' : `, invited by ${invitedBy}`}
                </p>
              </div>
              <span className="key-actions">
                <Confirm
                  trigger="Accept…"
                  isDestructive={false}
                  label={`Accept the invitation to ${tenant}`}
                  title={`Accept the invitation to ${tenant}?`}
                  confirm="Accept"
                  keep="Cancel"
                  run={async () => {
                    const why = await perform(acceptInvitationMutation, { id });
                    if (why === undefined) done();
                    return why;
                  }}
                >
                  Its members can see your name. If it belongs to another account, switch to that account to open it.
                </Confirm>
                <Confirm
                  trigger="Decline…"
                  label={`Decline the invitation to ${tenant}`}
                  title={`Decline the invitation to ${tenant}?`}
                  confirm="Decline"
                  keep="Cancel"
                  run={async () => {
                    const why = await perform(declineInvitationMutation, { id });
                    if (why === undefined) done();
                    return why;
                  }}
                >
                  To join later, you need a new invitation.
                </Confirm>
              </span>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
