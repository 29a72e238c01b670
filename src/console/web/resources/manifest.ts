import { documentOf } from '../editing/document-of.js';
import { kinds } from '../kinds/kinds.js';
import type { Kind } from '../kinds/kinds.js';
import type { AnyResource } from './resource-queries.js';
import { yamlOf } from './spec-text.js';

/** The document of a resource that `control-plane apply` accepts, as YAML. */
export function manifestOf(resource: AnyResource, kind: Kind, workspace: string): string {
  const { metadata, spec } = documentOf(resource);
  return yamlOf({
    kind: kinds[kind].type,
    workspace,
    metadata: { name: resource.metadata.name, ...(typeof metadata === 'object' ? metadata : {}) },
    spec: spec ?? {},
  });
}
