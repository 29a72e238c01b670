// A field is defined once. This table has every shape of the API; each transport has exactly its fields.
import { getNullableType, isListType, isNonNullType, isObjectType } from 'graphql';
import type { GraphQLField, GraphQLObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { schema } from '../../../src/api/graphql/server/schema.js';
import { outputName } from '../../../src/api/graphql/shape-type.js';
import { coreEvent, label, metadata } from '../../../src/schema/resource.js';
import { env, runtime, volumeAttachment } from '../../../src/schema/runtime.js';
import { fieldsOf, namesOf } from '../../../src/schema/shape.js';
import { agent } from '../../../src/resources/agents/agent-row.js';
import {
  agentRuntime,
  agentSpecAnswer,
  repository,
  revisionConfiguration,
  trigger,
  triggerConfiguration,
} from '../../../src/resources/agents/agent-spec.js';
import {
  configuration,
  continent,
  country,
  privateLocation,
  region,
} from '../../../src/resources/configuration/configuration.js';
import { image, imageMetadata, imageSpec } from '../../../src/resources/images/image.js';
import { imageShare, imageShareMetadata, imageShareSpec } from '../../../src/resources/images/image-share.js';
import { imageTag } from '../../../src/resources/images/image-tag.js';
import {
  execution,
  executionMetadata,
  executionSpec,
  executionStats,
  task,
  taskCondition,
  taskMetadata,
  taskSpec,
} from '../../../src/resources/jobs/execution.js';
import { jobSpec } from '../../../src/resources/jobs/job.js';
import {
  costBucket,
  metricsBucket,
  metricsEntry,
  metricsLabel,
  metricsSummary,
} from '../../../src/billing/metrics-shape.js';
import { egressGatewayMetadata, egressGatewaySpec } from '../../../src/resources/networks/egress-gateway.js';
import { egressIp, egressIpMetadata, egressIpSpec } from '../../../src/resources/networks/egress-ip.js';
import { vpcSpec } from '../../../src/resources/networks/vpc.js';
import { preview, previewMetadata, previewSpec } from '../../../src/resources/sandboxes/preview.js';
import { sandboxSpec } from '../../../src/resources/sandboxes/sandbox.js';
import { volumeSpec } from '../../../src/resources/volumes/volume.js';
import { openApiDocument } from '../../../src/api/rest/openapi.js';
import { routes } from '../../../src/server/routes.js';

/** Shapes whose type has exactly their fields. */
const whole = [
  coreEvent,
  label,
  metadata,
  env,
  runtime,
  volumeAttachment,
  agentRuntime,
  agentSpecAnswer,
  repository,
  revisionConfiguration,
  trigger,
  triggerConfiguration,
  configuration,
  continent,
  country,
  privateLocation,
  region,
  imageMetadata,
  imageShareMetadata,
  imageShareSpec,
  executionMetadata,
  executionSpec,
  executionStats,
  taskCondition,
  taskMetadata,
  taskSpec,
  jobSpec,
  egressGatewayMetadata,
  egressGatewaySpec,
  egressIpMetadata,
  egressIpSpec,
  vpcSpec,
  previewMetadata,
  previewSpec,
  sandboxSpec,
  volumeSpec,
  costBucket,
  metricsBucket,
  metricsLabel,
  metricsSummary,
];

/** Shapes whose type has further fields: an id, lists, or parents. */
const nodes = [agent, execution, image, imageSpec, imageShare, imageTag, egressIp, preview, task, metricsEntry];

const shapes = [...whole, ...nodes];

function typeOf(shape: z.ZodObject): GraphQLObjectType {
  const type = schema.getType(namesOf(shape).name);
  if (!isObjectType(type)) throw new Error(`${namesOf(shape).name} is no type of GraphQL`);
  return type;
}

/** Whether a field has another name in its shape. */
const isRenamed = (shape: z.ZodObject, name: string) => !Object.hasOwn(shape.shape, name);

const named = (each: z.ZodObject) => ({ name: namesOf(each).name, shape: each });
const fieldNames = (shape: z.ZodObject) => Object.keys(shape.shape).toSorted();
const outputNames = (shape: z.ZodObject) => Object.keys(shape.shape).map(outputName).toSorted();

describe('GraphQL returns', () => {
  it.each(whole.map(named))('$name with the fields of its shape', ({ shape }) => {
    expect(Object.keys(typeOf(shape).getFields()).toSorted()).toEqual(outputNames(shape));
  });

  it.each(nodes.map(named))('$name with at least the fields of its shape', ({ shape }) => {
    expect(Object.keys(typeOf(shape).getFields())).toEqual(expect.arrayContaining(outputNames(shape)));
  });

  it.each(whole.map(named))('$name with null only for optional fields of its shape', ({ shape }) => {
    const mayBeNull = (field: GraphQLField<unknown, unknown>) => !isNonNullType(field.type);
    const types = typeOf(shape).getFields();
    const nullable = fieldsOf(shape).filter(({ name }) => {
      const type = types[outputName(name)];
      return type !== undefined && mayBeNull(type);
    });
    // Labels are a list, which is empty when there are none.
    const optional = fieldsOf(shape).filter(
      ({ isOptional, isAlwaysPresent, form }) => isOptional && !isAlwaysPresent && form.is !== 'labels',
    );
    expect(nullable.map(({ name }) => name)).toEqual(optional.map(({ name }) => name));
  });

  it.each(whole.map(named))('$name with lists for lists', ({ shape }) => {
    const types = typeOf(shape).getFields();
    const lists = fieldsOf(shape).filter(({ form }) => form.is === 'list' || form.is === 'labels');
    const given = Object.values(types).filter(({ type }) => isListType(getNullableType(type)));
    expect(given.map(({ name }) => name).toSorted()).toEqual(lists.map(({ name }) => name).toSorted());
  });

  it('a field of a shape without calling a function, unless the forms differ', () => {
    const called = whole.flatMap((shape) =>
      Object.values(typeOf(shape).getFields())
        .filter(({ name, resolve }) => resolve !== undefined && !isRenamed(shape, name))
        .map(({ name }) => `${namesOf(shape).name}.${name}`),
    );
    expect(called).toEqual(['Metadata.labels', 'Region.allowed']);
  });

  it('no types of its own beside the shapes', () => {
    const made = new Set(shapes.map((shape) => namesOf(shape).name));
    const other =
      /^(Query|Mutation|Subscription|PageInfo|Viewer|Account|Workspace|Agent|Sandbox|Job|Volume|Vpc|EgressGateway|(\w+(Connection|Edge|Payload|Error))|InputProblem|ResourceUser|ContentCount|Attachment|GroupCount|SearchHit|(?:Account|Workspace)Overview|KindOverview|CreatedResources|RecentFailures|Failure|CostForecast)$/;
    const metrics =
      /^(AccountMetrics|Cost|Metrics\w*|BillingDimension|ResourceType|Usage(Event|Correction)(Result)?|RecordedUsage|UsedLabel|BillingPrice|Budget\w*|Quota(Set)?)$/;
    const identity =
      /^(AccessToken|ApiKey|Authorization|GroupRole|Invitation|Member(Access|ship)?|OauthClient|Principal|Session|SignInProvider|WorkspaceRole)$/;
    const history = /^(Change(Actor)?|Webhook(Delivery|Attempt|Filter)?)$/;
    const platform = /^(Assignment|DesiredResource|Executor|ObservedStatus)$/;
    const types = Object.values(schema.getTypeMap()).filter(
      (type) => isObjectType(type) && !type.name.startsWith('__'),
    );
    const stray = types.filter(
      ({ name }) => !made.has(name) && ![other, metrics, identity, history, platform].some((known) => known.test(name)),
    );
    expect(stray.map(({ name }) => name)).toEqual([]);
  });
});

const headers = { version: 'service-version', workspace: 'x-service-workspace', authorization: 'x-authorization' };
const component = z.looseObject({ properties: z.record(z.string(), z.unknown()).optional() });
const { components } = z
  .looseObject({ components: z.looseObject({ schemas: z.record(z.string(), component) }) })
  .parse(
    openApiDocument(routes, { publicUrl: 'https://control-plane.test', headers, defaultVersion: '2026-04-28' }, true),
  );

describe('The OpenAPI document', () => {
  it('has the fields of the metrics shapes', () => {
    const answer = z.object({ summary: z.object({ properties: z.record(z.string(), z.unknown()) }) });
    const { summary } = answer.parse(components.schemas['AccountMetricsResponse']?.properties);
    expect(Object.keys(summary.properties)).toEqual(Object.keys(metricsSummary.shape));
    const data = z.object({
      summary: z.object({ properties: z.record(z.string(), z.unknown()) }),
      timeseries: z.object({ items: z.object({ properties: z.record(z.string(), z.unknown()) }) }),
    });
    const properties = components.schemas['AccountMetricsDataEntry']?.properties ?? {};
    const entry = data.parse(properties);
    expect(entry.timeseries.items.properties).toEqual({
      timestamp: expect.objectContaining({ type: 'string', format: 'date-time' }),
      cost: expect.objectContaining({ type: 'number' }),
      usage: expect.objectContaining({ type: 'number' }),
    });
    expect(Object.keys(entry.timeseries.items.properties)).toEqual(Object.keys(metricsBucket.shape));
    const told = [...Object.keys(properties), ...Object.keys(entry.summary.properties)];
    expect(told).toEqual(expect.arrayContaining(Object.keys(metricsEntry.shape)));
  });

  const byName = new Map(shapes.map((shape) => [namesOf(shape).name, shape]));
  const objects = Object.entries(components.schemas).flatMap(([name, { properties }]) =>
    properties === undefined ? [] : [{ name, properties }],
  );
  /** Shapes without another transport. */
  const ofRest = new Set([
    'Account',
    'AccountMetricsDataEntry',
    'AccountMetricsResponse',
    'Error',
    'PaginationMeta',
    'UsageCloudEvent',
    'UsageEvent',
    'UsageReceipt',
  ]);

  it.each(objects.filter(({ name }) => !ofRest.has(name)))('has the fields of the shape $name', (each) => {
    const shape = byName.get(each.name);
    if (shape === undefined) throw new Error(`${each.name} is no shape`);
    // Deletion protection is not in the specification.
    const specified = fieldNames(shape).filter((name) => name !== 'protected');
    expect(Object.keys(each.properties).toSorted()).toEqual(specified);
  });

  it('contains the shapes that its routes return', () => {
    const names = objects.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['Agent', 'AgentSpec', 'Metadata', 'JobTask', 'Region', 'ImageTag']));
  });
});
