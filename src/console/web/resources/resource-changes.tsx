import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { ReactElement } from 'react';
import { useQuery } from 'urql';
import { resourceChangesQuery, latestFirst } from '../activity/activity-queries.js';
import { ChangeLine } from '../activity/change-line.js';
import { urlValueOf } from '../activity/change-labels.js';
import type { ChangeKind } from '../activity/change-labels.js';
import type { Kind } from '../kinds/kinds.js';
import { Section } from './section.js';

const shownMax = 6;

const changeKinds = {
  agents: 'AGENT',
  sandboxes: 'SANDBOX',
  jobs: 'JOB',
  volumes: 'VOLUME',
  networks: 'VPC',
} as const satisfies Record<Kind, ChangeKind>;

interface ResourceChangesProps {
  workspace: string;
  kind: Kind;
  name: string;
  id: string;
  version: number;
}

/** The change history of a resource, the latest first, with links to the changes. */
export function ResourceChanges({ workspace, kind, name, id, version }: ResourceChangesProps): ReactElement {
  const [{ data, error }, again] = useQuery({
    query: resourceChangesQuery,
    variables: { workspace, resource: id, count: shownMax },
  });
  useEffect(() => again({ requestPolicy: 'network-only' }), [again, version]);
  const changes = data?.workspace?.changes;
  return (
    <Section
      title="Change history"
      aside={
        <Link
          to="/w/$workspace/activity"
          params={{ workspace }}
          search={{ kind: urlValueOf(changeKinds[kind]), name }}
          className="text-link"
        >
          View activity
        </Link>
      }
    >
      {changes == null ? (
        <p className="quiet">
          {error === undefined ? '' : 'Could not load the change history. Retrying automatically.'}
        </p>
      ) : changes.nodes.length === 0 ? (
        <p className="quiet">No changes recorded.</p>
      ) : (
        <ul>
          {latestFirst(changes).map((change) => (
            <li key={change.id} className="change">
              <ChangeLine change={change} workspace={workspace} isOfOneResource />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
