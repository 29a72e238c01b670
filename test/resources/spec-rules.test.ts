// The validation rules of every kind except agents, whose spec has a separate test.
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { ApiError } from '../../src/errors.js';
import { metadata } from '../../src/schema/resource.js';
import { readInput } from '../../src/schema/shape-value.js';
import { jobSpec } from '../../src/resources/jobs/job.js';
import { taskSpec } from '../../src/resources/jobs/execution.js';
import { vpcSpec } from '../../src/resources/networks/vpc.js';
import { previewSpec } from '../../src/resources/sandboxes/preview.js';
import { sandboxSpec } from '../../src/resources/sandboxes/sandbox.js';
import { volumeSpec } from '../../src/resources/volumes/volume.js';

function problems(schema: z.ZodType, given: unknown): string[] {
  try {
    readInput(schema, given);
    return [];
  } catch (error) {
    if (error instanceof ApiError && error.problems) return error.problems.map(({ message }) => message);
    throw error;
  }
}

const manyLabels = (count: number) => Array.from({ length: count }, (_, index) => ({ key: `k${index}`, value: '' }));
const name = 'a';
const isKept = 'must not contain control characters';
const scratch = { type: 'ephemeral', name: 'scratch', mountPath: '/scratch', sizeMb: 1 };

describe('Input', () => {
  it.each([
    ['50 labels', metadata, { name, labels: manyLabels(50) }],
    ['a label at its bounds', metadata, { name, labels: [{ key: 'k'.repeat(63), value: 'v'.repeat(255) }] }],
    ['labels as a record', metadata, { name, labels: { team: 'a', 'any key: at all?': '' } }],
    ['a displayName of 63 characters', metadata, { name, displayName: 'é'.repeat(63) }],
    ['a sandbox with a volume', sandboxSpec, { region: 'eu', volumes: [scratch] }],
    ['a preview for a day', previewSpec, { port: 65_535, ttl: '24h', requestHeaders: { 'x-a': 'b' } }],
    ['a job without retries', jobSpec, { maxRetries: 0, parallelism: 1, timeout: 1 }],
    ['a task of fifteen minutes', taskSpec, { timeout: '15m' }],
    ['a block of addresses', vpcSpec, { cidrBlock: '10.20.0.0/16' }],
    ['a volume', volumeSpec, { region: 'eu', sizeMb: 1 }],
  ])('can be %s', (_what, schema, given) => {
    expect(problems(schema, given)).toEqual([]);
  });

  it.each([
    ['51 labels', metadata, { name, labels: manyLabels(51) }, 'labels must be at most 50 entries'],
    ['a label without a key', metadata, { name, labels: [{ key: '', value: 'a' }] }, 'labels.0.key must not be empty'],
    [
      'a label with a long key',
      metadata,
      { name, labels: [{ key: 'k'.repeat(64), value: 'a' }] },
      'labels.0.key must be at most 63 characters',
    ],
    [
      'a label with a long value',
      metadata,
      { name, labels: [{ key: 'k', value: 'v'.repeat(256) }] },
      'labels.0.value must be at most 255 characters',
    ],
    ['a label with NUL', metadata, { name, labels: [{ key: 'a\0', value: 'a' }] }, `labels.0.key ${isKept}`],
    ['a label twice', metadata, { name, labels: [...manyLabels(1), ...manyLabels(1)] }, 'labels.1.key must be unique'],
    ['a displayName with NUL', metadata, { name, displayName: 'a\0' }, `displayName ${isKept}`],
    ['an empty displayName', metadata, { name, displayName: '' }, 'displayName must not be empty'],
    [
      'a long displayName',
      metadata,
      { name, displayName: 'a'.repeat(64) },
      'displayName must be at most 63 characters',
    ],
    ['a long externalId', metadata, { name, externalId: 'a'.repeat(65) }, 'externalId must be at most 64 characters'],
    [
      'an externalId with a space',
      metadata,
      { name, externalId: 'a b' },
      'externalId must be letters, digits and hyphens',
    ],
    ['no name', metadata, {}, 'name is required'],
    [
      'a name in upper case',
      metadata,
      { name: 'A' },
      'name must be 1 to 49 lowercase letters, digits and hyphens, with a letter or digit at both ends',
    ],
    [
      'a sandbox with a volume and no region',
      sandboxSpec,
      { volumes: [scratch] },
      'region is required when volumes are attached',
    ],
    [
      'a sandbox with two volumes at one place',
      sandboxSpec,
      { region: 'eu', volumes: [scratch, { ...scratch, mountPath: '/scratch//' }] },
      'volumes.1.mountPath must be unique: another volume is mounted there',
    ],
    [
      'a preview of no duration',
      previewSpec,
      { ttl: 'soon' },
      'ttl must be a duration such as 24h, 15m or 1h30m, in days (d), hours (h), minutes (m) and seconds (s)',
    ],
    ['a preview of no port', previewSpec, { port: 65_536 }, 'port must be at most 65535'],
    [
      'a preview that expires at no time',
      previewSpec,
      { expires: 'soon' },
      'expires must be an RFC 3339 time, such as 2026-04-28T00:00:00Z',
    ],
    [
      'a header with a line break',
      previewSpec,
      { requestHeaders: { 'x-a': 'b\r\nc: d' } },
      `requestHeaders.x-a ${isKept}`,
    ],
    [
      'two headers whose names differ in case',
      previewSpec,
      { requestHeaders: { 'x-a': '1', 'x-b': '1', 'X-A': '2' }, responseHeaders: { 'X-a': '1' } },
      'requestHeaders.X-A must be unique: another header has this name in another case',
    ],
    [
      'two headers of responses whose names differ in case',
      previewSpec,
      { responseHeaders: { Vary: 'a', vary: 'b' } },
      'responseHeaders.vary must be unique: another header has this name in another case',
    ],
    [
      'a task of no duration',
      taskSpec,
      { timeout: '0m' },
      'timeout must be a duration such as 24h, 15m or 1h30m, in days (d), hours (h), minutes (m) and seconds (s)',
    ],
    ['a task of a lifetime', taskSpec, { timeout: '24856d' }, 'timeout must be at most 24855 days'],
    ['a job of no tasks at a time', jobSpec, { parallelism: 0 }, 'parallelism must be at least 1'],
    [
      'no block of addresses',
      vpcSpec,
      { cidrBlock: '10.0.0.0/33' },
      'cidrBlock must be an IPv4 range, such as 10.20.0.0/16',
    ],
    ['a volume of no size', volumeSpec, { region: 'eu', sizeMb: 0 }, 'sizeMb must be at least 1'],
    ['a volume of a part of a megabyte', volumeSpec, { region: 'eu', sizeMb: 0.5 }, 'sizeMb must be a whole number'],
    [
      'headers that are too many',
      previewSpec,
      { requestHeaders: Object.fromEntries(manyLabels(20).map(({ key }) => [key, 'v'.repeat(4_000)])) },
      'The input must be at most 65536 bytes as JSON',
    ],
  ])('cannot be %s', (_what, schema, given, message) => {
    expect(problems(schema, given)).toEqual([message]);
  });
});
