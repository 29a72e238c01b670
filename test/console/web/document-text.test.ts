import { describe, expect, it } from 'vitest';
import { documentOf } from '../../../src/console/web/editing/document-of.js';
import { creationOf, documentIn, textOf, updateBetween } from '../../../src/console/web/editing/document-text.js';
import type { AnyResource } from '../../../src/console/web/resources/resource-queries.js';

const metadata: AnyResource['metadata'] = {
  name: 'a',
  displayName: 'An agent',
  externalId: null,
  url: null,
  plan: 'free',
  createdAt: '2026-01-01T00:00:00.000Z',
  createdBy: null,
  updatedAt: '2026-01-01T00:00:00.000Z',
  updatedBy: null,
  protected: null,
  labels: [{ key: 'team', value: 'ops' }],
};
const document = documentOf({ metadata, spec: { region: 'eu-1', sizeMb: 1024 } });

describe('A document as text', () => {
  it('keeps labels and headers that are called like an enum', () => {
    const document = {
      metadata: { labels: { generation: 'Gen_2' } },
      spec: { requestHeaders: { generation: 'A_B' }, runtime: { generation: 'mk3' } },
    };
    expect(documentIn(textOf(document, 'yaml'))).toEqual({ document });
    expect(creationOf(document)).toEqual({
      metadata: { labels: [{ key: 'generation', value: 'Gen_2' }] },
      spec: { requestHeaders: { generation: 'A_B' }, runtime: { generation: 'MK3' } },
    });
  });
});

describe('A resource as text', () => {
  it('is parsed to the same resource, from YAML and from JSON', () => {
    for (const format of ['yaml', 'json'] as const) {
      expect(documentIn(textOf(document, format))).toEqual({ document });
    }
    expect(document).toEqual({
      metadata: { displayName: 'An agent', labels: { team: 'ops' } },
      spec: { region: 'eu-1', sizeMb: 1024 },
    });
  });

  it('updates only changed fields, in the format of GraphQL', () => {
    const before = { metadata: {}, spec: { runtime: { generation: 'mk2', memory: 1 }, region: 'a' } };
    const after = {
      metadata: { labels: { team: 'ops' } },
      spec: { runtime: { generation: 'mk3', memory: 1 }, triggers: [{ id: 't', type: 'http-async' }] },
    };
    expect(updateBetween(before, after)).toEqual({
      metadata: { labels: [{ key: 'team', value: 'ops' }] },
      spec: { runtime: { generation: 'MK3' }, region: null, triggers: [{ id: 't', type: 'HTTP_ASYNC' }] },
    });
  });

  it.each([
    ['spec:\n  a: [', /^Line 2: Flow sequence/],
    ['spec:\n  a: 1\n  a: 2', /^Line 3: Map keys must be unique, and "a" is repeated$/],
    ['['.repeat(100_000), /^Line 1: The text is nested too deeply\. At most 64 levels are allowed\.$/],
    ['spec: {}\n---\nspec: {}', /must be one document/],
    ['just words', /must be a map/],
    ['metadata: {}\nstatus: FAILED\n', /“status” cannot be edited/],
    ['spec: 4', /spec must be a map/],
    ['metadata:\n  labels:\n    tier: 1', /metadata\.labels\.tier must be text/],
  ])('reports the problem of %j', (text, problem) => {
    expect(documentIn(text)).toEqual({ problem: expect.stringMatching(problem) });
  });
});
