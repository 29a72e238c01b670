import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { kinds } from '../kinds/kinds.js';
import type { Kind } from '../kinds/kinds.js';
import { Notice } from '../look/notice.js';
import { toneWords } from '../look/state.js';
import type { Tone } from '../look/state.js';

interface EmptyListProps {
  kind: Kind;
  workspace: string;
  q: string | undefined;
  tone: Tone | undefined;
}

/** Why there is nothing to see, and what to do about it. */
export function EmptyList({ kind, workspace, q, tone }: EmptyListProps): ReactElement {
  if (q === undefined && tone === undefined) {
    return (
      <Notice title={`There are no ${kinds[kind].many.toLowerCase()} here yet`}>
        They show here as soon as there are any in {workspace}.{' '}
        <Link to="/w/$workspace/$kind" params={{ workspace, kind }} search={{ new: true }} className="text-link">
          Make the first {kinds[kind].one}
        </Link>
      </Notice>
    );
  }
  const standing = tone === undefined ? '' : ` that is ${toneWords[tone]}`;
  return (
    <Notice
      title={`No ${kinds[kind].one}${standing}${q === undefined ? '' : ` has “${q}” in its name, title or labels`}`}
    >
      <Link to="/w/$workspace/$kind" params={{ workspace, kind }} className="text-link">
        Show all of them
      </Link>
    </Notice>
  );
}
