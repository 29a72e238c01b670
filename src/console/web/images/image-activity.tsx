import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useAnswer } from '../api/use-answer.js';
import { latestFirst, resourceActivityQuery } from '../activity/activity-queries.js';
import { ChangeLine } from '../activity/change-line.js';
import { EventTimeline } from '../resources/event-timeline.js';
import { FailureNotice } from '../look/notice.js';
import { Skeletons } from '../look/skeletons.js';
import { Section } from '../resources/section.js';
import type { Image } from './image-queries.js';

const shownMax = 50;

/** The changes of an image, and its events. */
export function ImageActivity({ image, workspace }: { image: Image; workspace: string }): ReactElement {
  const [{ data, error }, again] = useAnswer({
    query: resourceActivityQuery,
    variables: { workspace, resource: image.id, count: shownMax },
  });
  const changes = data?.workspace?.changes;
  return (
    <div className="resource-body">
      <div>
        <Section
          title="Change history"
          aside={
            <Link
              to="/w/$workspace/activity"
              params={{ workspace }}
              search={{ name: image.metadata.name }}
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
          ) : changes.nodes.length === 0 ? (
            <p className="quiet">No changes recorded.</p>
          ) : (
            <ul>
              {latestFirst(changes).map((change) => (
                <li key={change.id} className="change">
                  <ChangeLine change={change} place={{ workspace }} isOfOneResource />
                </li>
              ))}
            </ul>
          )}
        </Section>
      </div>
      <div>
        <Section title="Events">
          <EventTimeline events={image.metadata.events} shownMax={30} isRunning={false} />
        </Section>
      </div>
    </div>
  );
}
