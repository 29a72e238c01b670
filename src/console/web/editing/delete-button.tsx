import type { ReactElement, ReactNode } from 'react';
import { Confirm } from '../look/confirm.js';
import { changeables } from './changeables.js';
import { deleteResource } from './change-resource.js';
import type { Which } from './change-resource.js';

interface DeleteButtonProps {
  which: Which;
  isProtected: boolean;
  /** The consequences. */
  children: ReactNode;
  onDone: () => void;
}

/** Why a protected resource cannot be deleted. */
export function protectedReason(name: string): string {
  return `${name} is protected from deletion. Remove the protection first.`;
}

/** The button in place of that for deletion while a resource is protected. */
export function ProtectedDelete({ name }: { name: string }): ReactElement {
  return (
    <button type="button" className="button" disabled title={protectedReason(name)}>
      Delete…
    </button>
  );
}

/** A mark of resources that are protected from deletion. */
export function ProtectedMark(): ReactElement {
  return (
    <span className="quiet" title="Protected from deletion">
      Protected
    </span>
  );
}

/** Deletes a part of a resource after a confirmation. */
export function DeleteButton({ which, isProtected, children, onDone }: DeleteButtonProps): ReactElement {
  const one = changeables[which.type];
  if (isProtected) return <ProtectedDelete name={which.name} />;
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
