// Inputs have the fields of their shapes, except read-only ones, and are validated by the rules of the shapes.
import { coerceInputValue, getNamedType, getNullableType, isInputObjectType, isListType, isNonNullType } from 'graphql';
import type { GraphQLInputObjectType } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { builder } from '../../../src/api/graphql/builder.js';
// Built before the inputs below are added, for other test files of this worker compare it with schema.graphql.
import '../../../src/api/graphql/server/schema.js';
import { inputType, updateInputType } from '../../../src/api/graphql/shape-input.js';
import { ApiError } from '../../../src/errors.js';
import { metadata, namedMetadataAnswer } from '../../../src/schema/resource.js';
import { fieldsOf, namesOf } from '../../../src/schema/shape.js';
import { readInput, readUpdate } from '../../../src/schema/shape-value.js';
import { workspaceMetadata } from '../../../src/accounts/workspace.js';
import { agentSpecAnswer } from '../../../src/resources/agents/agent-spec.js';
import { agentSpec } from '../../../src/resources/agents/checked-agent-spec.js';
import { jobSpec } from '../../../src/resources/jobs/job.js';
import { egressGatewayMetadata, egressGatewaySpec } from '../../../src/resources/networks/egress-gateway.js';
import { egressIpMetadata, egressIpSpec } from '../../../src/resources/networks/egress-ip.js';
import { vpcSpec } from '../../../src/resources/networks/vpc.js';
import { previewMetadata, previewSpec } from '../../../src/resources/sandboxes/preview.js';
import { sandboxSpec } from '../../../src/resources/sandboxes/sandbox.js';
import { volumeSpec } from '../../../src/resources/volumes/volume.js';

const roots = [
  metadata,
  namedMetadataAnswer,
  agentSpecAnswer,
  egressGatewayMetadata,
  egressGatewaySpec,
  egressIpMetadata,
  egressIpSpec,
  jobSpec,
  previewMetadata,
  previewSpec,
  sandboxSpec,
  volumeSpec,
  vpcSpec,
  workspaceMetadata,
];

for (const shape of roots) {
  inputType(shape);
  updateInputType(shape);
}

let types: Map<string, GraphQLInputObjectType>;
/** The one input of each mutation. */
let ofMutations: Set<string>;

beforeAll(() => {
  const schema = builder.toSchema();
  const all = Object.values(schema.getTypeMap()).filter((type) => isInputObjectType(type));
  const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});
  ofMutations = new Set(mutations.flatMap(({ args }) => args.map(({ type }) => getNamedType(type).name)));
  types = new Map(all.map((type) => [type.name, type]));
});

function typeNamed(name: string): GraphQLInputObjectType {
  const type = types.get(name);
  if (type === undefined) throw new Error(`There is no input ${name}`);
  return type;
}

/** A shape and its nested shapes in inputs. */
function withInner(shape: z.ZodObject): z.ZodObject[] {
  const inner = fieldsOf(shape).flatMap(({ form, isReadOnly }) => {
    const item = form.is === 'list' ? form.item : form;
    return item.is === 'shape' && !isReadOnly ? withInner(item.shape) : [];
  });
  return [shape, ...inner];
}

const shapes = [...new Set(roots.flatMap(withInner))].map((shape) => ({ name: namesOf(shape).name, shape }));

const namesIn = (fields: { name: string }[]) => fields.map(({ name }) => name).toSorted();

describe('An input', () => {
  it.each(shapes)('of $name has the writable fields, and requires those without a default', (each) => {
    const fields = Object.values(typeNamed(`${each.name}Input`).getFields());
    const writable = fieldsOf(each.shape).filter(({ isReadOnly }) => !isReadOnly);
    expect(namesIn(fields)).toEqual(namesIn(writable));
    const needed = writable.filter(({ isOptionalInput }) => !isOptionalInput);
    expect(namesIn(fields.filter(({ type }) => isNonNullType(type)))).toEqual(namesIn(needed));
    const lists = fields.filter(({ type }) => isListType(getNullableType(type)));
    const listed = writable.filter(({ form }) => form.is === 'list' || form.is === 'labels');
    expect(namesIn(lists)).toEqual(namesIn(listed));
  });

  it.each(roots.map((shape) => ({ name: namesOf(shape).name, shape })))(
    'that updates $name has the updatable fields, each of which can be omitted or null',
    (each) => {
      const fields = Object.values(typeNamed(`${each.name}UpdateInput`).getFields());
      const changeable = fieldsOf(each.shape).filter(({ isReadOnly, isImmutable }) => !isReadOnly && !isImmutable);
      expect(namesIn(fields)).toEqual(namesIn(changeable));
      expect(fields.filter(({ type }) => isNonNullType(type))).toEqual([]);
    },
  );

  it('that updates a shape updates nested shapes field by field, and replaces lists', () => {
    const { runtime, triggers } = typeNamed('AgentSpecUpdateInput').getFields();
    expect(runtime && getNamedType(runtime.type).name).toBe('AgentRuntimeInput');
    expect(triggers && getNamedType(triggers.type).name).toBe('TriggerInput');
  });

  it('never accepts read-only fields, nor a new name', () => {
    expect(namesIn(Object.values(typeNamed('MetadataInput').getFields()))).toEqual([
      'displayName',
      'externalId',
      'labels',
      'name',
      'protected',
    ]);
    expect(namesIn(Object.values(typeNamed('MetadataUpdateInput').getFields()))).toEqual([
      'displayName',
      'externalId',
      'labels',
      'protected',
    ]);
    expect(typeNamed('TriggerConfigurationInput').getFields()).not.toHaveProperty('callbackSecret');
    expect(typeNamed('SandboxPreviewSpecInput').getFields()).not.toHaveProperty('url');
    expect(typeNamed('EgressIpSpecInput').getFields()).not.toHaveProperty('publicIp');
  });

  it('type is a shape, a filter or the input of a mutation', () => {
    const made = new Set(shapes.flatMap(({ name }) => [`${name}Input`, `${name}UpdateInput`]));
    const label = 'LabelInput';
    const isOther = (name: string) => name === label || ofMutations.has(name) || /(Filter|Criteria|Order)$/.test(name);
    const stray = [...types.keys()].filter((name) => !made.has(name) && !isOther(name));
    // Types that callers can only update or only create, filters, and items of lists, which are not updated individually.
    expect(stray).toEqual([
      'AccountMetadataUpdateInput',
      'AssignmentLeaseInput',
      'BudgetThresholdInput',
      'JobTaskConditionInput',
      'JobTaskRequestInput',
      'NewAccountMetadataInput',
      'OrderWindow',
      'PushedTagInput',
      'QuotaLimitInput',
      'ResourceOriginInput',
      'UsageEventChangeInput',
      'UsageEventFilterInput',
      'UsageEventInput',
    ]);
  });
});

const agentInput = z.object({ metadata, spec: agentSpec });

/** The value of a GraphQL variable for an input type. */
function coerced(given: { metadata: unknown; spec: unknown }) {
  return {
    metadata: coerceInputValue(given.metadata, typeNamed('MetadataInput')),
    spec: coerceInputValue(given.spec, typeNamed('AgentSpecInput')),
  };
}

function problemsOf(act: () => unknown) {
  try {
    act();
  } catch (error) {
    if (error instanceof ApiError) return error.problems?.map(({ path, code }) => `${path.join('.')} ${code}`);
  }
  throw new Error('It was taken');
}

describe('An input of GraphQL', () => {
  it('is read with words in lower case, labels as a record, and null as absent', () => {
    const given = coerced({
      metadata: { name: 'a', displayName: null, labels: [{ key: 'team', value: 'border' }] },
      spec: {
        region: null,
        runtime: { generation: 'MK3', envs: [{ name: 'A', value: null }] },
        triggers: [{ type: 'HTTP_ASYNC', enabled: null }],
      },
    });
    expect(readInput(agentInput, given)).toEqual({
      metadata: { name: 'a', labels: { team: 'border' } },
      spec: {
        enabled: true,
        public: false,
        runtime: { generation: 'mk3', envs: [{ name: 'A' }] },
        // An empty id means that it was omitted.
        triggers: [{ id: '', type: 'http-async', enabled: true }],
      },
    });
  });

  it('accepts times of any offset, and stores them in UTC', () => {
    const spec = coerceInputValue({ expires: '2026-11-20T10:30:00+01:00' }, typeNamed('SandboxPreviewSpecInput'));
    expect(readInput(previewSpec, spec)).toEqual({ expires: '2026-11-20T09:30:00.000Z' });
  });

  it('returns all problems, each at the path of its field', () => {
    const given = coerced({
      metadata: {
        name: 'A',
        labels: [
          { key: 'a', value: '1' },
          { key: 'b', value: '\0' },
          { key: 'a', value: '2' },
          { key: '__proto__', value: '3' },
        ],
      },
      spec: { public: true, runtime: { memory: 0 }, triggers: [{ type: 'CRON', configuration: { schedule: 'now' } }] },
    });
    expect(problemsOf(() => readInput(agentInput, given))).toEqual([
      'metadata.labels.2.key duplicate',
      'metadata.labels.3.key invalid_value',
      'metadata.name invalid_format',
      'metadata.labels.1.value invalid_format',
      'spec.runtime.memory too_small',
      'spec.triggers.0.configuration.schedule invalid_format',
      'spec.public not_available',
    ]);
  });

  it('reports unknown fields and values of a wrong type', () => {
    const given = { metadata: { name: 'a', nmae: 'b' }, spec: { runtime: [], enabled: 'yes', region: 7 } };
    expect(problemsOf(() => readInput(agentInput, given))).toEqual([
      'metadata.nmae unknown_field',
      'spec.enabled invalid_type',
      'spec.region invalid_type',
      'spec.runtime invalid_type',
    ]);
    expect(problemsOf(() => readInput(agentInput, {}))).toEqual(['metadata required', 'spec required']);
    expect(problemsOf(() => readInput(agentInput, null))).toEqual([' invalid_type']);
  });

  it('ignores read-only fields, so that a response can be sent back', () => {
    const answered = {
      name: 'a',
      url: 'https://run.example.com',
      workspace: 'w',
      createdAt: '2026-01-01T00:00:00.000Z',
    };
    expect(readInput(metadata, answered)).toEqual({ name: 'a' });
  });
});

describe('An update', () => {
  const current = {
    metadata: { name: 'a', displayName: 'A', labels: { team: 'x', tier: 'gold' } },
    spec: { enabled: false, public: false, region: 'eu', runtime: { memory: 1024, minScale: 1 }, policies: ['p', 'q'] },
  };

  it('keeps omitted fields, clears null fields, and replaces lists', () => {
    const changes = {
      metadata: { displayName: null, labels: [{ key: 'team', value: 'y' }] },
      spec: { runtime: { memory: 2048 }, policies: ['r'], region: null },
    };
    expect(readUpdate(agentInput, current, changes)).toEqual({
      metadata: { name: 'a', labels: { team: 'y' } },
      spec: { enabled: false, public: false, runtime: { memory: 2048, minScale: 1 }, policies: ['r'] },
    });
  });

  it('without fields changes nothing', () => {
    expect(readUpdate(agentInput, current, {})).toEqual(readInput(agentInput, current));
    expect(readUpdate(agentInput, current, { metadata: {}, spec: { runtime: {} } })).toEqual(
      readInput(agentInput, current),
    );
  });

  it('restores the default of a field that null clears', () => {
    expect(readUpdate(agentInput, current, { spec: { enabled: null } }).spec.enabled).toBe(true);
  });

  it('is rejected if the resulting resource is invalid, or if it renames', () => {
    expect(problemsOf(() => readUpdate(agentInput, current, { spec: { public: true } }))).toEqual([
      'spec.public not_available',
    ]);
    expect(problemsOf(() => readUpdate(agentInput, current, { metadata: { name: 'b' } }))).toEqual([
      'metadata.name immutable',
    ]);
    expect(readUpdate(agentInput, current, { metadata: { name: 'a' } }).metadata.name).toBe('a');
    expect(problemsOf(() => readUpdate(volumeSpec, { region: 'eu', sizeMb: 1 }, { sizeMb: null }))).toEqual([
      'sizeMb required',
    ]);
  });

  it('never accepts read-only fields', () => {
    const before = { name: 'a', plan: 'enterprise' };
    expect(readUpdate(metadata, before, { plan: 'free' })).toEqual(before);
  });
});
