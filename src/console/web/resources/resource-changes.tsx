import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { ReactElement } from 'react';
import { useQuery } from 'urql';
import { resourceChangesQuery, latestFirst } from '../activity/activity-queries.js';
import { ChangeLine } from '../activity/change-line.js';
import { wordOfAddress } from '../activity/change-words.js';
import type { ChangeKind } from '../activity/change-words.js';
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

/** Who changed what of a resource, the latest first, each with the way to what it was and became. */
export function ResourceChanges({ workspace, kind, name, id, version }: ResourceChangesProps): ReactElement {
  const [{ data, error }, again] = useQuery({
    query: resourceChangesQuery,
    variables: { workspace, resource: id, count: shownMax },
  });
  useEffect(() => again({ requestPolicy: 'network-only' }), [again, version]);
  const changes = data?.workspace?.changes;
  return (
    <Section
      title="Who changed it"
      aside={
        <Link
          to="/w/$workspace/activity"
          params={{ workspace }}
          search={{ kind: wordOfAddress(changeKinds[kind]), name }}
          className="text-link"
        >
          All that happened to it
        </Link>
      }
    >
      {changes == null ? (
        <p className="quiet">{error === undefined ? '' : 'It could not be read. It is tried again by itself.'}</p>
      ) : changes.nodes.length === 0 ? (
        <p className="quiet">Nobody has changed it since its history is kept.</p>
      ) : (
        <ul>
          {latestFirst(changes).map((change) => (
            <li key={change.id} className="change">
              <ChangeLine change={change} workspace={workspace} isAlone />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
