import { Kind } from 'graphql';
import type { FieldNode, GraphQLResolveInfo, SelectionSetNode } from 'graphql';

const known = new WeakMap<readonly FieldNode[], ReadonlySet<string>>();

/**
 * The paths that a query selects below a field, such as `edges.node.metadata.name`. What `@skip` and
 * `@include` decide is counted as selected. A compiled query asks once: its field nodes stay the same.
 */
export function selectedPaths(info: Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>): ReadonlySet<string> {
  const before = known.get(info.fieldNodes);
  if (before !== undefined) return before;
  const paths = new Set<string>();
  for (const node of info.fieldNodes) collect(node.selectionSet, '', info.fragments, paths);
  known.set(info.fieldNodes, paths);
  return paths;
}

function collect(
  selectionSet: SelectionSetNode | undefined,
  prefix: string,
  fragments: GraphQLResolveInfo['fragments'],
  paths: Set<string>,
): void {
  for (const selection of selectionSet?.selections ?? []) {
    if (selection.kind === Kind.FIELD) {
      const path = `${prefix}${selection.name.value}`;
      paths.add(path);
      collect(selection.selectionSet, `${path}.`, fragments, paths);
    } else {
      const inner = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments[selection.name.value];
      collect(inner?.selectionSet, prefix, fragments, paths);
    }
  }
}
