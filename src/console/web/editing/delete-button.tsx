import type { ReactElement, ReactNode } from 'react';
import { Confirm } from '../look/confirm.js';
import { changeables } from './changeables.js';
import { deleteResource } from './change-resource.js';
import type { Which } from './change-resource.js';

interface DeleteButtonProps {
  which: Which;
  /** The consequences. */
  children: ReactNode;
  onDone: () => void;
}

/** Deletes a part of a resource after a confirmation. */
export function DeleteButton({ which, children, onDone }: DeleteButtonProps): ReactElement {
  const one = changeables[which.type];
  return (
    <Confirm
      trigger="Delete…"
      label={`Delete ${one} ${which.name}`}
      title={`Delete ${which.name}?`}
      confirm={`Delete ${one}`}
      keep="Cancel"
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
