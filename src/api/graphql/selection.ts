import { getNamedType, isObjectType, Kind } from 'graphql';
import type { FieldNode, GraphQLObjectType, GraphQLResolveInfo, SelectionSetNode } from 'graphql';

import type { RequestContext } from '../../auth/context.js';

/** What a field needs of its row: some columns always, others for those of its own fields that are selected. */
export class RowNeeds {
  constructor(
    readonly columns: readonly string[],
    readonly columnsByField: Readonly<Record<string, readonly string[]>> = {},
  ) {}
}

/** A root field of which something has to be read before any other field of the operation is. */
export class ReadFirst {
  constructor(readonly read: (ctx: RequestContext) => Promise<unknown>) {}
}

/** What an operation has to read before it runs. */
export function readFirstOf(
  selectionSet: SelectionSetNode,
  root: GraphQLObjectType,
  fragments: GraphQLResolveInfo['fragments'],
): ReadFirst[] {
  return [...fieldsOf(selectionSet, fragments)].flatMap((field) => {
    const readFirst = root.getFields()[field.name.value]?.extensions['readFirst'];
    return readFirst instanceof ReadFirst ? [readFirst] : [];
  });
}

type Selected = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>;

const knownPaths = new WeakMap<readonly FieldNode[], ReadonlySet<string>>();

/**
 * The paths that a query selects below a field, such as `edges.node.metadata.name`. What `@skip` and
 * `@include` decide is counted as selected. A compiled query asks once: its field nodes stay the same.
 */
export function selectedPaths(info: Selected): ReadonlySet<string> {
  const before = knownPaths.get(info.fieldNodes);
  if (before !== undefined) return before;
  const paths = new Set<string>();
  for (const node of info.fieldNodes) collectPaths(node.selectionSet, '', info.fragments, paths);
  knownPaths.set(info.fieldNodes, paths);
  return paths;
}

function collectPaths(
  selectionSet: SelectionSetNode | undefined,
  prefix: string,
  fragments: GraphQLResolveInfo['fragments'],
  paths: Set<string>,
): void {
  for (const field of fieldsOf(selectionSet, fragments)) {
    const path = `${prefix}${field.name.value}`;
    paths.add(path);
    collectPaths(field.selectionSet, `${path}.`, fragments, paths);
  }
}

/** The names of the fields that are selected right below a field. */
export function fieldsBelow(info: Selected): Set<string> {
  const names = info.fieldNodes.flatMap((node) => [...fieldsOf(node.selectionSet, info.fragments)]);
  return new Set(names.map((field) => field.name.value));
}

/** The fields of a selection, those of its fragments included. */
function* fieldsOf(
  selectionSet: SelectionSetNode | undefined,
  fragments: GraphQLResolveInfo['fragments'],
): Generator<FieldNode> {
  for (const selection of selectionSet?.selections ?? []) {
    if (selection.kind === Kind.FIELD) yield selection;
    else if (selection.kind === Kind.INLINE_FRAGMENT) yield* fieldsOf(selection.selectionSet, fragments);
    else yield* fieldsOf(fragments[selection.name.value]?.selectionSet, fragments);
  }
}

const knownColumns = new WeakMap<readonly FieldNode[], ReadonlySet<string>>();

/**
 * The columns that a query needs of each resource that a field answers, or of each in the connection that it answers:
 * what the declarations of the selected fields say (row-fields.ts). A compiled query asks once.
 */
export function selectedColumns(info: Selected & Pick<GraphQLResolveInfo, 'returnType'>): ReadonlySet<string> {
  const before = knownColumns.get(info.fieldNodes);
  if (before !== undefined) return before;
  const columns = new Set<string>();
  const type = getNamedType(info.returnType);
  if (isObjectType(type)) {
    const walk = 'edges' in type.getFields() ? collectOfConnection : collectColumns;
    for (const node of info.fieldNodes) walk(node.selectionSet, type, info.fragments, columns);
  }
  knownColumns.set(info.fieldNodes, columns);
  return columns;
}

function collectOfConnection(
  selectionSet: SelectionSetNode | undefined,
  connection: GraphQLObjectType,
  fragments: GraphQLResolveInfo['fragments'],
  columns: Set<string>,
): void {
  const nodes = connection.getFields()['nodes'];
  const type = nodes && getNamedType(nodes.type);
  if (!isObjectType(type)) return;
  for (const field of fieldsOf(selectionSet, fragments)) {
    if (field.name.value === 'nodes') collectColumns(field.selectionSet, type, fragments, columns);
    if (field.name.value !== 'edges') continue;
    for (const below of fieldsOf(field.selectionSet, fragments)) {
      if (below.name.value === 'node') collectColumns(below.selectionSet, type, fragments, columns);
    }
  }
}

function collectColumns(
  selectionSet: SelectionSetNode | undefined,
  type: GraphQLObjectType,
  fragments: GraphQLResolveInfo['fragments'],
  columns: Set<string>,
): void {
  for (const field of fieldsOf(selectionSet, fragments)) {
    const declared = type.getFields()[field.name.value];
    const { rowNeeds, isSameRow } = declared?.extensions ?? {};
    if (rowNeeds instanceof RowNeeds) {
      for (const column of rowNeeds.columns) columns.add(column);
      for (const below of fieldsOf(field.selectionSet, fragments)) {
        for (const column of rowNeeds.columnsByField[below.name.value] ?? []) columns.add(column);
      }
    }
    const same = isSameRow === true && declared !== undefined ? getNamedType(declared.type) : undefined;
    if (isObjectType(same)) collectColumns(field.selectionSet, same, fragments, columns);
  }
}
