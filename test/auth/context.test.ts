// Header names contain the service name, and the default version is a setting.
import { beforeAll, describe, expect, it } from 'vitest';
import { headerNames, oneHeader } from '../../src/auth/request-headers.js';
import { createKey, createTenant, graphql, rest, useApp } from '../harness.js';

const running = useApp({ SERVICE_NAME: 'Acme', DEFAULT_API_VERSION: '2026-04-28' });
let key: string;

beforeAll(async () => {
  const { app } = running;
  ({ key } = await createKey(app, await createTenant(app, { account: 'northwind', workspaces: ['main', 'second'] })));
});

describe('SERVICE_NAME', () => {
  it('is part of the header names that are read and sent', async () => {
    const headers = {
      'Acme-Version': '2026-04-27',
      'X-Acme-Workspace': 'second',
      'X-Acme-Authorization': `Bearer ${key}`,
    };
    const answer = await rest(running.app, '/agents', { headers });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual([]);
    expect(answer.headers.get('acme-version')).toBe('2026-04-27');
    expect(answer.headers.has('service-version')).toBe(false);
  });

  it('ignores the header names of another operator', async () => {
    const headers = { 'x-service-workspace': 'second', 'service-version': 'not a date' };
    const { status, body } = await rest(running.app, '/agents', { key, headers });
    expect(status).toBe(400);
    expect(body.error).toBe('workspace_required');
    const unnamed = await rest(running.app, '/agents', { headers: { 'x-service-authorization': `Bearer ${key}` } });
    expect(unnamed.status).toBe(401);
  });

  it('applies to GraphQL, too', async () => {
    const headers = { 'x-acme-workspace': 'second', 'x-acme-authorization': `Bearer ${key}` };
    const { body } = await graphql(running.app, undefined, '{ agents { totalCount } }', {}, headers);
    expect(body.data.agents.totalCount).toBe(0);
  });
});

describe('DEFAULT_API_VERSION', () => {
  it('applies when a request names no version', async () => {
    const { body, headers } = await rest(running.app, '/agents', { key, headers: { 'x-acme-workspace': 'main' } });
    expect(headers.get('acme-version')).toBe('2026-04-28');
    expect(body.meta.total).toBe(0);
  });
});

describe('headerNames', () => {
  it('are in lower case, as Node.js returns them', () => {
    expect(headerNames('My-Cloud')).toEqual({
      version: 'my-cloud-version',
      workspace: 'x-my-cloud-workspace',
      authorization: 'x-my-cloud-authorization',
    });
  });
});

describe('oneHeader', () => {
  it('returns the value, treats an empty one as absent, and rejects two', () => {
    expect(oneHeader({ 'x-a': 'b' }, 'x-a')).toBe('b');
    expect(oneHeader({ 'x-a': '' }, 'x-a')).toBeUndefined();
    expect(oneHeader({}, 'x-a')).toBeUndefined();
    expect(() => oneHeader({ 'x-a': 'b, c' }, 'x-a')).toThrow(expect.objectContaining({ status: 400 }));
  });
});
