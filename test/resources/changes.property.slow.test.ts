// Whatever is changed in whatever order: lists, totals, searches, nodes and the history are those of a plain model of the
// rules. PROPERTY_RUNS says how many sequences are tried.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readDifferences } from '../../src/quotas/usage-recount.js';
import { createKey, createTenant, graphql, useApp } from '../harness.js';
import type { Answer } from '../harness.js';
import { requestOf, step } from './change-steps.js';
import type { Kind, Place } from './change-steps.js';
import { Model, record } from './changes-model.js';
import type { Kept, Outcome } from './changes-model.js';
import { addRegions, mutate, problemsOf } from './mutations.js';

const running = useApp();

const resource = 'totalCount filteredCount nodes { id version metadata { name displayName } }';
const named = 'filteredCount nodes { metadata { name } }';

/** Two pages of everything in a workspace, the results of a search and a filter, and nodes by id. */
const everything = `query ($workspace: String!, $ids: [ID!]!, $search: String!) {
  AGENT: agents(workspace: $workspace, orderBy: { field: NAME, direction: ASC }) { ${resource} }
  SANDBOX: sandboxes(workspace: $workspace, orderBy: { field: NAME, direction: ASC }) { ${resource} }
  VOLUME: volumes(workspace: $workspace, orderBy: { field: NAME, direction: ASC }) { ${resource} }
  JOB: jobs(workspace: $workspace, orderBy: { field: NAME, direction: ASC }) { ${resource} }
  previews: sandboxes(workspace: $workspace, orderBy: { field: NAME, direction: ASC }, first: 5) {
    nodes { previews(orderBy: { field: NAME, direction: ASC }, first: 5) { totalCount nodes { id version metadata { name } } } } }
  executions: jobs(workspace: $workspace, orderBy: { field: NAME, direction: ASC }, first: 5) {
    nodes { executions(first: 20) { totalCount nodes { id version status } } } }
  agentsFound: agents(workspace: $workspace, orderBy: { field: NAME, direction: ASC }, search: $search) { totalCount ${named} }
  sandboxesFound: sandboxes(workspace: $workspace, orderBy: { field: NAME, direction: ASC }, search: $search) { totalCount ${named} }
  jobsOn: jobs(workspace: $workspace, orderBy: { field: NAME, direction: ASC }, filter: { enabled: true }) { totalCount ${named} }
  attached: volumes(workspace: $workspace, orderBy: { field: NAME, direction: ASC }, filter: { attached: true }) { totalCount ${named} }
  nodes(ids: $ids) { id ... on Eventful { version } ... on JobExecution { version } } }`;

/** The same of the model. */
function expectedOf(model: Model, place: Place, search: string, ids: readonly string[]) {
  const workspace = model.workspaces[place];
  const all = (kind: Kind) => [...workspace[kind].values()].toSorted(byName);
  const listOf = (kind: Kind) => {
    const nodes = all(kind).map(({ id, version, name: shown, displayName: more }) => ({
      id,
      version,
      metadata: { name: shown, displayName: more },
    }));
    return { totalCount: nodes.length, filteredCount: nodes.length, nodes };
  };
  const found = (kind: Kind, isFound: (each: Kept) => boolean) => {
    const nodes = all(kind)
      .filter(isFound)
      .map((each) => ({ metadata: { name: each.name } }));
    return { totalCount: all(kind).length, filteredCount: nodes.length, nodes };
  };
  // One character filters nothing.
  const isSearched = (each: Kept) =>
    search.length < 2 || [each.name, each.displayName ?? ''].some((text) => text.toLowerCase().includes(search));
  const versions = versionsIn(model);
  return {
    AGENT: listOf('AGENT'),
    SANDBOX: listOf('SANDBOX'),
    VOLUME: listOf('VOLUME'),
    JOB: listOf('JOB'),
    previews: {
      nodes: all('SANDBOX').map(({ previews }) => {
        const sorted = [...previews].toSorted(([one], [other]) => (one < other ? -1 : 1));
        const nodes = sorted.map(([shown, each]) => ({ ...each, metadata: { name: shown } }));
        return { previews: { totalCount: nodes.length, nodes } };
      }),
    },
    executions: {
      nodes: all('JOB').map(({ executions }) => ({
        executions: { totalCount: executions.length, nodes: expect.arrayContaining(executions) },
      })),
    },
    agentsFound: found('AGENT', isSearched),
    sandboxesFound: found('SANDBOX', isSearched),
    jobsOn: found('JOB', (each) => each.enabled),
    attached: found('VOLUME', (each) => model.attachedTo(place, each.name).length > 0),
    nodes: ids.map((id) => (versions.has(id) ? { id, version: versions.get(id) } : null)),
  };
}

const byName = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1);

/** Of all that is there, by its id. */
function versionsIn({ workspaces }: Model): Map<string, number> {
  const all = Object.values(workspaces).flatMap((kinds) => Object.values(kinds).flatMap((each) => [...each.values()]));
  const inside = all.flatMap(({ previews, executions }) => [...previews.values(), ...executions]);
  return new Map([...all, ...inside].map(({ id, version }) => [id, version]));
}

/** The response of a mutation, as far as the model covers it. */
function answerOf(result: Answer['body'], field: string): object {
  if (result.code === undefined) return { version: result[field].version };
  return result.code === 'invalid_input' ? { code: result.code, problems: problemsOf(result) } : { code: result.code };
}

function expectedAnswer(outcome: Outcome): object {
  if (!('refused' in outcome)) return { version: outcome.version };
  const { refused: code, problems } = outcome;
  return problems === undefined ? { code } : { code, problems };
}

const newChanges = `query ($after: String) { changes(first: 200, after: $after) {
  pageInfo { endCursor } nodes { kind action name version fields } } }`;

const runs = Number(process.env['PROPERTY_RUNS'] ?? 8);
let tenants = 0;

describe('A sequence of changes', () => {
  it('matches the model, through every query', { timeout: 600_000 }, async () => {
    const { app } = running;
    await addRegions(app);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 30 }), async (steps) => {
        const mark = `p${tenants++}`;
        const workspaceOf = { one: `${mark}-one`, other: `${mark}-other` };
        const tenant = await createTenant(app, { account: mark, workspaces: Object.values(workspaceOf) });
        const { key } = await createKey(app, tenant);
        const ask = async (query: string, variables: Record<string, unknown>): Promise<Answer['body']> => {
          const { body } = await graphql(app, key, query, variables);
          expect(body.errors).toBeUndefined();
          return body.data;
        };
        const model = new Model();
        let after: string | undefined;
        for (const taken of steps) {
          const { place } = taken;
          const { mutation, field, input } = requestOf(model, workspaceOf[place], taken);
          const outcome = model.take(taken);
          const result = await mutate(app, key, mutation, `${field} { id version }`, input);
          expect(answerOf(result, field)).toEqual(expectedAnswer(outcome));
          if ('learn' in outcome) outcome.learn?.(result[field].id);
          const records = 'refused' in outcome || taken.validateOnly === true ? [] : outcome.records;
          const { changes } = await ask(newChanges, { after });
          after = changes.pageInfo.endCursor ?? after;
          const told = changes.nodes.map((each: RecordedChange) =>
            record(each.kind, each.action, each.name, each.version, each.fields),
          );
          expect(told.toSorted()).toEqual(records.toSorted());
          const ids = [...versionsIn(model).keys(), ...model.gone].slice(-40);
          const search = taken.name.slice(0, 3).toLowerCase();
          const seen = await ask(everything, { workspace: workspaceOf[place], ids, search });
          expect(seen).toEqual(expectedOf(model, place, search, ids));
          expect(await readDifferences(app.services.db, tenant.accountId)).toEqual([]);
        }
      }),
      { numRuns: runs, endOnFailure: runs <= 8 },
    );
  });
});

interface RecordedChange {
  kind: string;
  action: string;
  name: string | null;
  version: number;
  fields: string[];
}
