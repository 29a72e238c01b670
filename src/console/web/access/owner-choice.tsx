import type { ReactElement } from 'react';
import { useAnswer } from '../api/use-answer.js';
import { useViewer } from '../frame/viewer.js';
import type { ViewerAccount } from '../frame/viewer.js';
import { Choice } from '../look/choice.js';
import { accountMembersQuery } from './member-queries.js';

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
  const [{ data }] = useAnswer({
    query: accountMembersQuery,
    variables: { account: account.id },
    requestPolicy: 'cache-first',
    pause: account.viewerRole !== 'ADMIN',
  });
  const programs = data?.account?.members?.nodes.filter(({ kind }) => kind === 'SERVICE_ACCOUNT') ?? [];
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
