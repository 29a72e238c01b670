// Without the setting, there are no SCIM endpoints.
import { expect, it } from 'vitest';
import { readConfig } from '../../../src/config.js';
import { createKey, useApp } from '../../harness.js';
import { mutate } from '../../resources/mutations.js';
import { createProvider, scim } from './provider.js';

const running = useApp();

it('answers 404 for every path if SCIM_DOMAINS is not set', async () => {
  const { key, tenant } = await createProvider(running.app, 'acme');
  for (const path of ['/Users', '/Groups', '/ServiceProviderConfig', '/Schemas', '/Me', '']) {
    for (const credential of [key, undefined]) {
      const { status, body } = await scim(running.app, credential, 'GET', path);
      expect([status, body.status]).toEqual([404, '404']);
    }
  }
  const { key: admin } = await createKey(running.app, tenant);
  const role = { provider: 'scim', name: 'engineers', role: 'MEMBER' };
  expect(await mutate(running.app, admin, 'createGroupRole', 'groupRole { name }', role)).toMatchObject({
    code: 'invalid_parameter',
  });
});

it.each([
  'acme',
  'acme=acme.example',
  'ACME.example=acme',
  'acme.example=',
  'a.example=x,a.example=y',
  ',',
  'a.example=x=y',
])('refuses the setting %s', (setting) => {
  expect(() => readConfig({ SCIM_DOMAINS: setting })).toThrow(/^SCIM_DOMAINS: must/);
});

it('reads the domains of each account', () => {
  expect(readConfig({ SCIM_DOMAINS: 'a.example=acme, b.example = acme,c.example=globex' }).SCIM_DOMAINS).toEqual(
    new Map([
      ['acme', ['a.example', 'b.example']],
      ['globex', ['c.example']],
    ]),
  );
});
