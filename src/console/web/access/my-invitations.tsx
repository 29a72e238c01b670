import type { ReactElement } from 'react';
import { useQuery } from 'urql';
import { client } from '../api/client.js';
import { viewerQuery } from '../frame/viewer.js';
import { Confirm } from '../look/confirm.js';
import { Section } from '../resources/section.js';
import { acceptInvitationMutation, declineInvitationMutation, myInvitationsQuery } from './member-queries.js';
import { perform } from '../api/perform.js';

/** Where the viewer is invited to, and the answers to that; nothing while it is nowhere. */
export function MyInvitations(): ReactElement | null {
  const [{ data }, again] = useQuery({ query: myInvitationsQuery });
  const waiting = data?.viewer.invitations?.filter(({ status }) => status === 'PENDING') ?? [];
  if (waiting.length === 0) return null;
  const done = () => {
    again({ requestPolicy: 'network-only' });
    // There may be a workspace more to choose.
    void client.query(viewerQuery, {}, { requestPolicy: 'network-only' }).toPromise();
  };
  return (
    <Section title="You are invited">
      <ul className="keys-list">
        {waiting.map(({ id, accountName, workspaceName, role, invitedBy }) => {
          const place = workspaceName ?? accountName;
          return (
            <li key={id}>
              <div>
                <strong>{place}</strong>
                <p className="quiet">
                  As {role.toLowerCase()}
                  {workspaceName === null ? '' : `, in the account ${accountName}`}
                  {invitedBy === null ? '' : `, by ${invitedBy}`}
                </p>
              </div>
              <span className="key-actions">
                <Confirm
                  trigger="Accept…"
                  label={`Accept the invitation to ${place}`}
                  title={`Become a member of ${place}?`}
                  confirm="Accept"
                  keep="Not yet"
                  run={async () => {
                    const why = await perform(acceptInvitationMutation, { id });
                    if (why === undefined) done();
                    return why;
                  }}
                >
                  Its members see your name. If it is of another account, choose that account to see it here.
                </Confirm>
                <Confirm
                  trigger="Decline…"
                  label={`Decline the invitation to ${place}`}
                  title={`Decline the invitation to ${place}?`}
                  confirm="Decline"
                  keep="Not yet"
                  run={async () => {
                    const why = await perform(declineInvitationMutation, { id });
                    if (why === undefined) done();
                    return why;
                  }}
                >
                  They have to invite you again if you change your mind.
                </Confirm>
              </span>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
