import type { ReactElement, ReactNode } from 'react';
import { Icon } from '../look/icon.js';

interface PlaceLabelProps {
  title: string;
  mark?: ReactNode;
}

/** The content of a menu button in the rail. */
export function PlaceLabel({ title, mark }: PlaceLabelProps): ReactElement {
  return (
    <>
      {mark}
      <span className="cut" title={title}>
        {title}
      </span>
      <Icon name="down" />
    </>
  );
}

/** The first letter of an account. */
export function AccountMark({ title }: { title: string }): ReactElement {
  return (
    <span className="account-mark" aria-hidden="true">
      {title.charAt(0)}
    </span>
  );
}
