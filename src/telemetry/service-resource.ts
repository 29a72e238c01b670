// What traces and metrics say of the process that sends them.
import { randomUUID } from 'node:crypto';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import type { Resource } from '@opentelemetry/resources';

/** The same in traces and metrics, so that a collector knows that they are of one process. */
const instanceId = randomUUID();

export function serviceResource({ serviceName, version }: { serviceName: string; version: string }): Resource {
  return defaultResource().merge(
    resourceFromAttributes({
      'service.name': serviceName,
      'service.version': version,
      'service.instance.id': instanceId,
    }),
  );
}
