import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { ReactElement } from 'react';
import { useAnswer } from '../api/use-answer.js';
import { resourceChangesQuery, latestFirst } from '../activity/activity-queries.js';
import type { Change } from '../activity/activity-queries.js';
import { actionLabel, urlValueOf } from '../activity/change-labels.js';
import { ChangeLine } from '../activity/change-line.js';
import { RestoreButton } from '../activity/restore-button.js';
import { changeKindOf } from '../activity/subject-link.js';
import type { Kind } from '../kinds/kinds.js';
import { FailureNotice } from '../look/notice.js';
import { Skeletons } from '../look/skeletons.js';
import { Section } from './section.js';

const summaryMax = 6;
const pageMax = 50;

interface ResourceChangesProps {
  workspace: string;
  kind: Kind;
  name: string;
  id: string;
  version: number;
  /** Only the latest changes, without the buttons to restore a version. */
  isSummary?: boolean;
  onChange?: () => void;
}

/** The change history of a resource, the latest first, with links to the changes. */
export function ResourceChanges(props: ResourceChangesProps): ReactElement {
  const { workspace, kind, name, id, version, isSummary = false, onChange } = props;
  const [{ data, error }, again] = useAnswer({
    query: resourceChangesQuery,
    variables: { workspace, resource: id, count: isSummary ? summaryMax : pageMax },
  });
  useEffect(() => again({ requestPolicy: 'network-only' }), [again, version]);
  const changes = data?.workspace?.changes;
  const latest = changes == null ? [] : latestFirst(changes);
  const newest = latest.find(({ action }) => versioned.has(action));
  return (
    <Section
      title="Change history"
      aside={
        <Link
          to="/w/$workspace/activity"
          params={{ workspace }}
          search={{ kind: urlValueOf(changeKindOf(kind)), name }}
          className="text-link"
        >
          View activity
        </Link>
      }
    >
      {changes == null ? (
        error === undefined ? (
          <Skeletons />
        ) : (
          <FailureNotice error={error} onRetry={() => again({ requestPolicy: 'network-only' })} />
        )
      ) : latest.length === 0 ? (
        <p className="quiet">No changes recorded.</p>
      ) : (
        <ul>
          {latest.map((change) => (
            <li key={change.id} className="change">
              <ChangeLine change={change} place={{ workspace }} isOfOneResource />
              {!isSummary && (change === newest ? change.action === 'UPDATED' : versioned.has(change.action)) && (
                <span className="change-restore">
                  <RestoreButton
                    which={{ workspace, id: change.id, at: change.time }}
                    isBefore={change === newest}
                    kind={kind}
                    name={name}
                    label={
                      change === newest
                        ? 'Roll back the last update'
                        : `Restore this version, ${actionLabel(change.action)} at ${change.time}`
                    }
                    {...(onChange === undefined ? {} : { onDone: onChange })}
                  />
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

/** The actions that make a version. The newest one is the current version, and can only be rolled back. */
const versioned = new Set<Change['action']>(['CREATED', 'UPDATED']);
