import type { ReactElement } from 'react';

/** Why a protected resource cannot be deleted. */
export function protectedReason(name: string): string {
  return `${name} is protected from deletion. Remove the protection first.`;
}

/** A mark of resources that are protected from deletion. */
export function ProtectedMark(): ReactElement {
  return (
    <span className="quiet" title="Protected from deletion">
      Protected
    </span>
  );
}
