import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { ResourcePanel } from './resource-panel.js';

const route = getRouteApi('/w/$workspace/$kind/$name');

/** The page of a resource. */
export function ResourceView(): ReactElement {
  const { workspace, kind, name } = route.useParams();
  return (
    <div className="resource-page">
      <ResourcePanel key={`${workspace} ${kind} ${name}`} workspace={workspace} kind={kind} name={name} />
    </div>
  );
}
