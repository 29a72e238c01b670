import { beforeAll, describe, expect, it } from 'vitest';
import { createKey, createTenant, useApp } from '../harness.js';
import { mutate, problemsOf } from '../resources/mutations.js';

const running = useApp();
let key: string;

beforeAll(async () => {
  const tenant = await createTenant(running.app, { account: 'northwind', workspaces: ['main'] });
  ({ key } = await createKey(running.app, tenant));
});

const badUrl = 'ftp://example.com';
const terms = { amount: '0', period: 'MONTHLY', thresholds: [] };
const broken: [string, object, string[]][] = [
  [
    'createApiKey',
    { name: ' ', scopes: ['none'], addressRanges: ['here'], expiresAt: '2020-01-01T00:00:00Z' },
    ['addressRanges invalid_value', 'expiresAt invalid_value', 'name invalid_value', 'scopes invalid_value'],
  ],
  ['createOauthClient', { name: 'Not A Name', scopes: [] }, ['name invalid_format', 'scopes invalid_value']],
  [
    'updateOauthClient',
    { name: 'one', displayName: '', scopes: [] },
    ['displayName too_short', 'scopes invalid_value'],
  ],
  [
    'createWebhook',
    { workspace: 'main', name: '', url: badUrl, filter: { workspaces: ['main'] } },
    ['filter.workspaces invalid_value', 'name too_short', 'url invalid_format'],
  ],
  [
    'inviteMember',
    { email: 'nobody', role: 'MEMBER', expiresInDays: 0 },
    ['email invalid_value', 'expiresInDays invalid_value'],
  ],
  [
    'createBudget',
    { account: 'northwind', name: 'Not A Name', ...terms },
    ['amount too_small', 'name invalid_format', 'thresholds too_short'],
  ],
];

describe('Validation errors of several parts of an input', () => {
  it.each(broken)('are returned together by %s', async (mutation, input, problems) => {
    const refused = await mutate(running.app, key, mutation, '__typename', input);
    expect(problemsOf(refused).toSorted()).toEqual(problems);
  });

  it('keep a specific code if there is only one', async () => {
    const refused = await mutate(running.app, key, 'createApiKey', '__typename', {
      name: ' ',
      scopes: ['agents:list'],
    });
    expect(refused).toMatchObject({ __typename: 'InvalidInputError', code: 'invalid_parameter' });
  });
});
