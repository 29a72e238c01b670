import type { ReactElement } from 'react';
import { useAllNodes } from '../api/use-all-nodes.js';
import { useAnswer } from '../api/use-answer.js';
import { useViewer } from '../frame/viewer.js';
import type { ViewerAccount } from '../frame/viewer.js';
import { Choice } from '../look/choice.js';
import { serviceAccountsQuery } from './member-queries.js';

const myself = '';

interface OwnerChoiceProps {
  account: ViewerAccount;
  /** The name of a service account; undefined for the user. */
  value: string | undefined;
  onChange: (owner: string | undefined) => void;
}

/** A select for the owner of a credential: the user or a service account. Nothing without service accounts. */
export function OwnerChoice({ account, value, onChange }: OwnerChoiceProps): ReactElement | null {
  const { name } = useViewer();
  const variables = { account: account.id };
  const [{ data }] = useAnswer({
    query: serviceAccountsQuery,
    variables,
    requestPolicy: 'cache-first',
    pause: account.viewerRole !== 'ADMIN',
  });
  const { nodes: programs = [] } =
    useAllNodes(data?.account?.members, {
      query: serviceAccountsQuery,
      variables,
      pageOf: (answer) => answer.account?.members,
    }) ?? {};
  if (programs.length === 0) return null;
  return (
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
  );
}
