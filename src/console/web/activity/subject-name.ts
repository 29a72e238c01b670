import type { Change } from './activity-queries.js';

type Named = Pick<Change, 'name' | 'resource'>;

/**
 * The name of what was changed, such as "claims-notebook / www" for a preview, whose name is unique within its sandbox
 * only. An execution has no name of its own and is shown by that of its job. Undefined where no name is known.
 */
export function subjectName({ name, resource }: Named): string | undefined {
  if (resource?.__typename === 'JobExecution') return name ?? resource.metadata.jobName;
  if (name === null) return undefined;
  const owner = ownerOf(resource);
  return owner == null ? name : `${owner.metadata.name} / ${name}`;
}

function ownerOf(resource: Change['resource']): { metadata: { name: string } } | null | undefined {
  if (resource?.__typename === 'SandboxPreview') return resource.sandbox;
  if (resource?.__typename === 'EgressGateway') return resource.vpc;
  if (resource?.__typename === 'EgressIp') return resource.gateway?.vpc;
  return undefined;
}
