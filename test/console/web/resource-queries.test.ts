import { getNamedType, isInputObjectType, Kind, visit } from 'graphql';
import type { DocumentNode, FragmentDefinitionNode, GraphQLInputType, SelectionSetNode } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../../src/api/graphql/server/schema.js';
import { resourceQueries } from '../../../src/console/web/resources/resource-queries.js';

/** The inputs by kind of the console. */
const inputs: Record<string, string> = {
  agents: 'UpdateAgentInput',
  sandboxes: 'UpdateSandboxInput',
  jobs: 'UpdateJobInput',
  volumes: 'UpdateVolumeInput',
  networks: 'UpdateVpcInput',
};

const queries: Record<string, DocumentNode> = resourceQueries;

function leavesOf(type: GraphQLInputType, path: string): string[] {
  const named = getNamedType(type);
  if (!isInputObjectType(named)) return [path];
  return Object.values(named.getFields()).flatMap((field) => leavesOf(field.type, `${path}.${field.name}`));
}

function pathsOf(document: DocumentNode | undefined): Set<string> {
  if (document === undefined) return new Set();
  const fragments = new Map<string, FragmentDefinitionNode>();
  visit(document, { FragmentDefinition: (node) => void fragments.set(node.name.value, node) });
  const paths = new Set<string>();
  const walk = (set: SelectionSetNode | undefined, above: string): void => {
    for (const selection of set?.selections ?? []) {
      if (selection.kind === Kind.FIELD) {
        const path = `${above}.${(selection.alias ?? selection.name).value}`;
        paths.add(path);
        walk(selection.selectionSet, path);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) walk(selection.selectionSet, above);
      else walk(fragments.get(selection.name.value)?.selectionSet, above);
    }
  };
  visit(document, { OperationDefinition: (node) => walk(node.selectionSet, '') });
  return paths;
}

describe('The query of a resource', () => {
  it.each(Object.entries(inputs))('reads every field that an update can set: %s', (kind, name) => {
    const input = schema.getType(name);
    const fields = isInputObjectType(input) ? Object.values(input.getFields()) : [];
    const settable = fields.filter((field) => field.name === 'metadata' || field.name === 'spec');
    const leaves = settable.flatMap((field) => leavesOf(field.type, `.resource.${field.name}`));
    const selected = pathsOf(queries[kind]);
    expect(leaves).not.toEqual([]);
    // The form would show it empty, and saving the manifest would remove it.
    expect(leaves.filter((path) => !selected.has(path))).toEqual([]);
  });
});
