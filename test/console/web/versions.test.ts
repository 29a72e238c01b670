import { describe, expect, it } from 'vitest';
import {
  alignedWith,
  documentOfRecord,
  secretsToAsk,
  withSecrets,
} from '../../../src/console/web/activity/versions.js';
import { updateBetween } from '../../../src/console/web/editing/document-text.js';
import { differencesBetween } from '../../../src/console/web/editing/patch.js';

const record = {
  metadata: {
    name: 'triage',
    displayName: 'Triage',
    labels: { 'team.of': 'night' },
    url: 'https://example.com/triage',
    createdAt: '2026-11-20T12:00:00.000Z',
  },
  spec: {
    enabled: true,
    runtime: {
      memory: 2048,
      envs: [
        { name: 'LOG_LEVEL', value: 'info' },
        { name: 'TOKEN', secret: true, value: '***' },
      ],
    },
    triggers: [{ id: 'async', type: 'http-async', configuration: { callbackSecret: '***', path: '/a', retry: 2 } }],
  },
  status: 'DEPLOYED',
};

describe('A recorded version', () => {
  it('has only the fields that can be saved', () => {
    expect(documentOfRecord(record)).toEqual({
      metadata: { displayName: 'Triage', labels: { 'team.of': 'night' } },
      spec: {
        ...record.spec,
        triggers: [{ id: 'async', type: 'http-async', configuration: { path: '/a', retry: 2 } }],
      },
    });
    expect(documentOfRecord({ metadata: { name: 'a', labels: {} }, spec: {} })).toEqual({ metadata: {}, spec: {} });
  });

  it('has the protection from deletion, so that a roll-back keeps or restores it', () => {
    const version = { metadata: { ...record.metadata, protected: true }, spec: record.spec };
    expect(documentOfRecord(version)).toMatchObject({ metadata: { protected: true } });
    expect(updateBetween(documentOfRecord(version), documentOfRecord(record))).toEqual({
      metadata: { protected: null },
    });
  });

  it('does not differ from the current one by the order of fields', () => {
    const current = {
      metadata: { labels: { 'team.of': 'night' }, displayName: 'Triage' },
      spec: {
        triggers: [{ configuration: { retry: 2, path: '/a' }, type: 'http-async', id: 'async' }],
        enabled: true,
        runtime: { memory: 4096, envs: record.spec.runtime.envs.map(({ name, ...rest }) => ({ ...rest, name })) },
      },
    };
    expect(differencesBetween(current, alignedWith(current, documentOfRecord(record)))).toEqual([
      { path: 'spec.runtime.memory', before: 4096, after: 2048 },
    ]);
  });

  it('asks for the secrets that are not stored', () => {
    const document = documentOfRecord(record);
    expect(secretsToAsk(document)).toEqual(['TOKEN']);
    expect(secretsToAsk(document, document)).toEqual([]);
    expect(secretsToAsk(document, { metadata: {}, spec: {} })).toEqual(['TOKEN']);
  });

  it('gets the given secrets, and loses those without a value', () => {
    const document = documentOfRecord(record);
    const [plain] = record.spec.runtime.envs;
    const envs = (secrets: [string, string][]) => withSecrets(document, ['TOKEN'], new Map(secrets));
    expect(envs([['TOKEN', 's3cr3t']])).toMatchObject({
      spec: { runtime: { memory: 2048, envs: [plain, { name: 'TOKEN', secret: true, value: 's3cr3t' }] } },
    });
    expect(envs([])).toMatchObject({ spec: { runtime: { envs: [plain] } } });
    expect(withSecrets(document, [], new Map())).toBe(document);
  });
});
