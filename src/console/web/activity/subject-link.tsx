import { Link } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
import { kindNames } from '../kinds/kinds.js';
import type { Kind } from '../kinds/kinds.js';
import type { Change } from './activity-queries.js';

const changeKinds = {
  agents: 'AGENT',
  sandboxes: 'SANDBOX',
  jobs: 'JOB',
  volumes: 'VOLUME',
  networks: 'VPC',
} as const satisfies Record<Kind, Change['kind']>;

/** The kind of a resource's changes. */
export function changeKindOf(kind: Kind): Change['kind'] {
  return changeKinds[kind];
}

/** The kind of resource page for a kind of change; undefined if it has none. */
export function kindOfChange(changed: Change['kind']): Kind | undefined {
  return kindNames.find((kind) => changeKinds[kind] === changed);
}

interface SubjectLinkProps {
  change: Change;
  /** The workspace of the resource; null for an item of the account. */
  workspace: string | null;
  children: ReactNode;
  className?: string;
}

/** A link to the changed resource or its owner; plain text if it was deleted or has no page. */
export function SubjectLink({ change, workspace, children, className = '' }: SubjectLinkProps): ReactElement {
  const page = placeOf(change);
  if (page === undefined || workspace === null) return <span className={className}>{children}</span>;
  if (page.kind === 'executions') {
    const { name, id } = page;
    return (
      <Link to="/w/$workspace/jobs/$name/executions/$id" params={{ workspace, name, id }} className={className}>
        {children}
      </Link>
    );
  }
  if (page.kind === 'images') {
    const { name, type } = page;
    return (
      <Link to="/w/$workspace/images/$type/$name" params={{ workspace, type, name }} className={className}>
        {children}
      </Link>
    );
  }
  const { kind, name } = page;
  return (
    <Link to="/w/$workspace/$kind/$name" params={{ workspace, kind, name }} className={className}>
      {children}
    </Link>
  );
}

type Place =
  | { kind: Kind; name: string }
  | { kind: 'executions'; name: string; id: string }
  | { kind: 'images'; name: string; type: string };

/** The page of the changed resource; undefined if it was deleted. */
export function placeOf({ kind, name, resource }: Change): Place | undefined {
  const page = kindOfChange(kind);
  if (resource === null) return undefined;
  if (page !== undefined) return name === null ? undefined : { kind: page, name };
  if (resource.__typename === 'SandboxPreview') return within('sandboxes', resource.sandbox);
  if (resource.__typename === 'EgressGateway') return within('networks', resource.vpc);
  if (resource.__typename === 'EgressIp') return within('networks', resource.gateway?.vpc);
  if (resource.__typename === 'JobExecution') {
    const { id, jobName } = resource.metadata;
    return { kind: 'executions', name: jobName, id };
  }
  if (resource.__typename !== 'Image') return undefined;
  return { kind: 'images', name: resource.metadata.name, type: resource.metadata.resourceType.toLowerCase() };
}

function within(kind: Kind, owner: { metadata: { name: string } } | null | undefined): Place | undefined {
  return owner == null ? undefined : { kind, name: owner.metadata.name };
}
