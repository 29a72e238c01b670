import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { kinds } from '../kinds/kinds.js';
import type { Kind } from '../kinds/kinds.js';
import { Notice } from '../look/notice.js';
import { toneAdjective } from '../look/state.js';
import type { Tone } from '../look/state.js';

interface EmptyListProps {
  kind: Kind;
  workspace: string;
  q: string | undefined;
  tone: Tone | undefined;
}

/** The empty state of a list. */
export function EmptyList({ kind, workspace, q, tone }: EmptyListProps): ReactElement {
  if (q === undefined && tone === undefined) {
    return (
      <Notice title={`No ${kinds[kind].many.toLowerCase()} yet`}>
        <Link to="/w/$workspace/$kind" params={{ workspace, kind }} search={{ new: true }} className="text-link">
          Create {kinds[kind].one}
        </Link>
      </Notice>
    );
  }
  const adjective = tone === undefined ? '' : `${toneAdjective(tone)} `;
  return (
    <Notice title={`No ${adjective}${kinds[kind].many.toLowerCase()}${q === undefined ? '' : ` match “${q}”`}`}>
      <Link to="/w/$workspace/$kind" params={{ workspace, kind }} className="text-link">
        Clear filters
      </Link>
    </Notice>
  );
}
