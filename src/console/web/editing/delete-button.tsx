import type { ReactElement, ReactNode } from 'react';
import { Confirm } from '../look/confirm.js';
import { changeables } from './changeables.js';
import { deleteResource } from './change-resource.js';
import type { Which } from './change-resource.js';

interface DeleteButtonProps {
  which: Which;
  /** What goes with it. */
  children: ReactNode;
  onDone: () => void;
}

/** Deletes what belongs to a resource, after asking once. */
export function DeleteButton({ which, children, onDone }: DeleteButtonProps): ReactElement {
  const one = changeables[which.type];
  return (
    <Confirm
      trigger="Delete…"
      label={`Delete ${one} ${which.name}`}
      title={`Delete ${which.name}?`}
      confirm={`Delete the ${one}`}
      keep="Keep it"
      run={async () => {
        const refused = await deleteResource(which);
        if (refused === undefined) onDone();
        return refused?.message;
      }}
    >
      {children}
    </Confirm>
  );
}
