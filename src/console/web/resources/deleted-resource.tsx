import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useLastKnown } from '../activity/last-known.js';
import { CreateAgainButton } from '../activity/restore-button.js';
import { changeKindOf } from '../activity/subject-link.js';
import { kinds } from '../kinds/kinds.js';
import type { Kind } from '../kinds/kinds.js';
import { capitalize } from '../look/labels.js';
import { Notice } from '../look/notice.js';
import { OptionsState } from '../look/options-state.js';
import { ResourceHeading } from './resource-heading.js';

interface DeletedResourceProps {
  workspace: string;
  kind: Kind;
  name: string;
  onClose: (() => void) | undefined;
}

/** The page of a resource that does not exist. If the change log has its last version, it can be created again. */
export function DeletedResource({ workspace, kind, name, onClose }: DeletedResourceProps): ReactElement {
  const { last, state } = useLastKnown({ workspace, kind: changeKindOf(kind), name, at: undefined }, true);
  return (
    <div className="resource">
      <ResourceHeading kind={kind} name={name} workspace={workspace} onClose={onClose} />
      <Notice title={`${capitalize(kinds[kind].one)} “${name}” not found`}>
        <p>
          It was deleted or renamed.{' '}
          <Link to="/w/$workspace/$kind" params={{ workspace, kind }} className="text-link">
            View all {kinds[kind].many.toLowerCase()}
          </Link>
          {' or '}
          <Link to="/w/$workspace/activity" params={{ workspace }} search={{ name }} className="text-link">
            its activity
          </Link>
          .
        </p>
        <OptionsState of="its last state" state={state} />
        {last !== undefined && (
          <p>
            <CreateAgainButton workspace={workspace} kind={kind} name={name} record={last.record} />
          </p>
        )}
      </Notice>
    </div>
  );
}
