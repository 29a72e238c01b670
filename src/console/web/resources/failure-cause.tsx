import type { ReactElement } from 'react';
import { ActivityLink } from '../activity/activity-link.js';
import { lastChangeQuery } from '../activity/activity-queries.js';
import { changeSummary } from '../activity/change-summary.js';
import { RestoreButton } from '../activity/restore-button.js';
import { useAnswer } from '../api/use-answer.js';
import type { Kind } from '../kinds/kinds.js';
import { Time } from '../look/time-text.js';
import { FailureLogs } from '../look/view-logs.js';
import { previousTag } from './previous-tag.js';

interface FailureCauseProps {
  /** Global id of the resource. */
  id: string;
  kind: Kind;
  workspace: string;
  name: string;
  /** The time of the failure. */
  at: string;
}

/** What changed last before a resource failed, by whom, and what to do: compare, roll back, read the logs. */
export function FailureCause({ id, kind, workspace, name, at }: FailureCauseProps): ReactElement {
  const [{ data }] = useAnswer({
    query: lastChangeQuery,
    variables: { workspace, resource: id, to: new Date(Date.parse(at) + 1).toISOString() },
  });
  const change = data?.workspace?.changes?.nodes[0];
  const summary = change === undefined ? '' : changeSummary(change);
  const tag = change && previousTag(change.before);
  return (
    <span className="failure-cause">
      {change !== undefined && (
        <span>
          {change.action === 'CREATED' ? 'Created' : `Last change: ${summary === '' ? 'updated' : summary}`}
          {change.actor.name !== null && ` by ${change.actor.name}`}, <Time value={change.time} />
        </span>
      )}
      {change?.action === 'UPDATED' && (
        <>
          <ActivityLink
            place={{ workspace }}
            search={() => ({ name, change: change.id, at: change.time })}
            className="text-link"
          >
            Compare
          </ActivityLink>
          {change.before !== null && (
            <RestoreButton
              which={{ workspace, id: change.id, at: change.time }}
              isBefore
              isInline
              kind={kind}
              name={name}
              text={tag === undefined ? 'Roll back' : `Roll back to ${tag}`}
            />
          )}
        </>
      )}
      <FailureLogs kind={kind} workspace={workspace} name={name} at={at} />
    </span>
  );
}
