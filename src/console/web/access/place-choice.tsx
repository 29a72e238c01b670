import type { ReactElement } from 'react';
import { useViewer } from '../frame/viewer.js';
import { Choice } from '../look/choice.js';

const everywhere = '';

interface PlaceChoiceProps {
  label?: string;
  /** By name; undefined for all of them. */
  value: string | undefined;
  onChange: (workspace: string | undefined) => void;
  /** Those of this account alone, by its id. */
  account?: string;
}

/** One workspace, or all of them. */
export function PlaceChoice({ label = 'In', value, onChange, account }: PlaceChoiceProps): ReactElement {
  const { workspaces } = useViewer();
  return (
    <Choice
      label={label}
      value={value ?? everywhere}
      options={[
        { value: everywhere, label: 'all workspaces' },
        ...workspaces
          .filter((each) => account === undefined || each.account.id === account)
          .map(({ name }) => ({ value: name, label: name })),
      ]}
      onChange={(name) => onChange(name === everywhere ? undefined : name)}
    />
  );
}
