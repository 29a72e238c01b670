import type { ReactElement } from 'react';
import { useAllNodes } from '../api/use-all-nodes.js';
import { stateOf, useAnswer } from '../api/use-answer.js';
import { useViewer } from '../frame/viewer.js';
import type { ViewerAccount } from '../frame/viewer.js';
import { Choice } from '../look/choice.js';
import { OptionsState } from '../look/options-state.js';
import { serviceAccountsQuery } from './member-queries.js';

const myself = '';

interface OwnerChoiceProps {
  account: ViewerAccount;
  /** The name of a service account; undefined for the user. */
  value: string | undefined;
  onChange: (owner: string | undefined) => void;
}

/** A select for the owner of a credential: the user or a service account. Nothing if there are no service accounts. */
export function OwnerChoice({ account, value, onChange }: OwnerChoiceProps): ReactElement | null {
  const { name } = useViewer();
  const variables = { account: account.id };
  const isAdmin = account.viewerRole === 'ADMIN';
  const asked = useAnswer({
    query: serviceAccountsQuery,
    variables,
    requestPolicy: 'cache-first',
    pause: !isAdmin,
  });
  const all = useAllNodes(asked[0].data?.account?.members, {
    query: serviceAccountsQuery,
    variables,
    pageOf: (answer) => answer.account?.members,
  });
  if (!isAdmin) return null;
  if (all === undefined) return <OptionsState of="service accounts" state={stateOf(asked)} />;
  const { nodes: programs, isComplete, error, onRetry } = all;
  if (programs.length === 0) return null;
  return (
    <>
      <Choice
        isField
        label="Owner"
        value={value ?? myself}
        options={[
          { value: myself, label: name },
          ...programs.map((each) => ({ value: each.name, label: each.name, hint: 'service account' })),
        ]}
        onChange={(owner) => onChange(owner === myself ? undefined : owner)}
      />
      <OptionsState
        of="all service accounts"
        state={{ isLoading: !isComplete && error === undefined, error, onRetry }}
      />
    </>
  );
}
