import { plainFrom } from '../resources/spec-text.js';
import type { AnyResource } from '../resources/resource-queries.js';
import { isFields } from './patch.js';
import type { Fields } from './patch.js';

/** The editable part of a resource. */
export function documentOf({ metadata, spec }: Pick<AnyResource, 'metadata' | 'spec'>): Fields {
  const { displayName, protected: isProtected, externalId, labels } = metadata;
  const named = plainFrom({ displayName, protected: isProtected, externalId });
  const tags = Object.fromEntries(labels.map(({ key, value }) => [key, value]));
  return {
    metadata: { ...(isFields(named) ? named : {}), ...(labels.length === 0 ? {} : { labels: tags }) },
    spec: plainFrom(spec) ?? {},
  };
}

/** The editable part of a resource's part, which has a display name and no labels. */
export function documentOfPart({
  metadata,
  spec,
}: {
  metadata: { displayName: string | null; protected: boolean | null };
  spec?: object;
}): Fields {
  const named = plainFrom({ displayName: metadata.displayName, protected: metadata.protected });
  return { metadata: isFields(named) ? named : {}, spec: plainFrom(spec) ?? {} };
}
