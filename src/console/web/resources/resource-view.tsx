import { getRouteApi, useParams } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { ResourcePanel } from './resource-panel.js';
import { tabIn } from './resource-tab.js';

const route = getRouteApi('/w/$workspace/$kind/$name');

/** The page of a resource, with its tabs. */
export function ResourceView(): ReactElement {
  const { workspace, kind, name } = route.useParams();
  const { tab } = useParams({ strict: false });
  return (
    <div className="resource-page">
      <ResourcePanel
        key={`${workspace} ${kind} ${name}`}
        workspace={workspace}
        kind={kind}
        name={name}
        tab={tabIn(kind, tab)}
      />
    </div>
  );
}
