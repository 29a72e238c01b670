import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { manifestOf } from '../../../src/console/web/resources/manifest.js';
import type { AnyResource } from '../../../src/console/web/resources/resource-queries.js';
import { readDocument } from '../../../src/manifests/document.js';

const metadata = {
  name: 'triage',
  displayName: 'Triage: night',
  externalId: null,
  url: null,
  plan: 'free',
  createdAt: '2026-11-20T12:00:00.000Z',
  createdBy: null,
  updatedAt: '2026-11-20T12:00:00.000Z',
  updatedBy: null,
  protected: null,
  labels: [{ key: 'team.of', value: 'yes' }],
};
const common = { id: 'id', version: 3, status: 'DEPLOYED' as const, observed: null, events: [], metadata };

describe('The manifest of a resource', () => {
  it('is a document that apply accepts', () => {
    const job: AnyResource = {
      ...common,
      executions: null,
      spec: {
        enabled: true,
        region: 'eu-frankfurt-1',
        maxRetries: 2,
        parallelism: null,
        schedule: null,
        timeZone: null,
        timeout: 900,
        runtime: {
          generation: 'MK3',
          image: 'registry.example.com/jobs/triage:r7',
          memory: 2048,
          envs: [{ name: 'TOKEN', value: '***', secret: true }],
        },
      },
    };
    const document: unknown = parse(manifestOf(job, 'jobs', 'production'));
    const read = readDocument(document, { file: 'a.yaml', document: 1 }, undefined);
    expect(read).toMatchObject({
      document: {
        name: 'triage',
        workspace: 'production',
        metadata: { displayName: 'Triage: night', labels: { 'team.of': 'yes' } },
        spec: { timeout: 900, runtime: { generation: 'mk3', envs: [{ name: 'TOKEN', value: '***', secret: true }] } },
      },
    });
  });

  it('names the kind as the API does', () => {
    const network: AnyResource = {
      ...common,
      spec: { region: null, cidrBlock: '10.0.0.0/16' },
      egressGateways: { totalCount: 0, pageInfo: { hasNextPage: false, endCursor: null }, nodes: [] },
    };
    const text = manifestOf(network, 'networks', 'production');
    expect(text).toMatch(/^kind: Vpc\nworkspace: production\n/);
    expect(readDocument(parse(text), { file: 'a.yaml', document: 1 }, undefined)).toHaveProperty('document');
  });
});
