import type { ReactElement } from 'react';
import { useViewer } from '../frame/viewer.js';
import { Choice } from '../look/choice.js';

const everywhere = '';

interface PlaceChoiceProps {
  label?: string;
  /** The name of the workspace; undefined for all. */
  value: string | undefined;
  onChange: (workspace: string | undefined) => void;
  /** The id of the account whose workspaces are offered; all accounts if omitted. */
  account?: string;
}

/** A select for one workspace or all workspaces. */
export function PlaceChoice({ label = 'Workspace', value, onChange, account }: PlaceChoiceProps): ReactElement {
  const { workspaces } = useViewer();
  return (
    <Choice
      isField
      label={label}
      value={value ?? everywhere}
      options={[
        { value: everywhere, label: 'All workspaces' },
        ...workspaces
          .filter((each) => account === undefined || each.account.id === account)
          .map(({ name }) => ({ value: name, label: name })),
      ]}
      onChange={(name) => onChange(name === everywhere ? undefined : name)}
    />
  );
}
