// Requests whose responses are recorded for each released version, and must be the same after an upgrade.
import { z } from 'zod';
import { graphql, rest } from '../../harness.js';
import type { TestApp } from '../../harness.js';

/** The recordings of a released version: how to send requests, and the response to each. */
export const recording = z.object({
  accountId: z.string(),
  key: z.string(),
  responses: z.record(z.string(), z.unknown()),
});

export type Recording = z.infer<typeof recording>;

/** Encrypts the secrets of the recorded databases. */
export const releaseSecret = 'a secret of recorded releases that is long enough';

const window = 'startTime=2026-10-01T00:00:00Z&endTime=2026-11-20T00:00:00Z';

const paths = (accountId: string) => [
  '/agents',
  '/configuration',
  `/accounts/${accountId}/metrics?${window}&groupBy=billing_dimension,resource_uuid`,
  `/accounts/${accountId}/metrics?${window}&groupBy=workspace&resolution=daily`,
  `/accounts/${accountId}/metrics/enums/group-by`,
];

const documents = [
  `{ agents(workspace: "main", orderBy: { field: NAME, direction: ASC }, filter: { status: { in: [DEPLOYED] } }) {
    totalCount filteredCount nodes { version status metadata { name labels { key value } } } } }`,
  `{ jobs(workspace: "main") { totalCount nodes { metadata { name } executions { totalCount nodes { status } } } } }`,
  `{ sandboxes(workspace: "main") { totalCount nodes { status metadata { name } previews { nodes { metadata { name } } } } }
    volumes(workspace: "main") { totalCount nodes { metadata { name } spec { sizeMb } } }
    images(workspace: "main") { totalCount nodes { metadata { name } spec { tags { nodes { name } } } } }
    vpcs(workspace: "main") { totalCount nodes { metadata { name } egressGateways { nodes { ips { totalCount } } } } } }`,
  `{ search(text: "old", workspace: "main") { nodes { __typename } } }`,
  `{ changes(first: 100) { totalCount nodes { time action kind name version fields message actor { kind name } } } }`,
  `{ workspace(name: "main") { overview { kinds { kind total states { value count } } } } }`,
  `{ viewer { accounts { name version dataThrough budgets { nodes { name version } } } } }`,
];

/** Sends all requests. @throws if one fails, so that no error is recorded. */
export async function askAll(
  app: TestApp,
  { accountId, key }: Pick<Recording, 'accountId' | 'key'>,
): Promise<Record<string, unknown>> {
  const responses: Record<string, unknown> = {};
  for (const path of paths(accountId)) {
    const { status, body } = await rest(app, path, { key });
    if (status !== 200) throw new Error(`${path}: ${JSON.stringify(body)}`);
    responses[path] = body;
  }
  for (const document of documents) {
    const { body } = await graphql(app, key, document);
    if (body.errors !== undefined) throw new Error(`${document}: ${JSON.stringify(body.errors)}`);
    responses[document] = body.data;
  }
  return responses;
}
