import { beforeAll, describe, expect, it } from 'vitest';
import { replaceConfiguration } from '../../../src/resources/configuration/configuration-input.js';
import { brokenRegions } from '../../../src/resources/configuration/region-rules.js';
import { createTenant, useApp } from '../../harness.js';

const running = useApp();
const workspaces: Record<string, string> = {};

beforeAll(async () => {
  for (const account of ['northwind', 'southwind']) {
    const tenant = await createTenant(running.app, { account, workspaces: [account] });
    Object.assign(workspaces, tenant.workspaces);
  }
});

async function broken(account: string, region: string | undefined, feature?: 'egress'): Promise<string[]> {
  const things = [{ spec: { region } }];
  const [only] = await brokenRegions(running.app.services.db, workspaces[account] ?? '', things, feature);
  return (only?.broken ?? []).map(({ message }) => message);
}

describe('The region of a resource', () => {
  it('can be any without a platform configuration', async () => {
    expect(await broken('northwind', 'anywhere')).toEqual([]);
  });

  describe('The region of a resource on a configured platform', () => {
    beforeAll(async () => {
      const region = { continent: 'EU', country: 'DE' };
      await running.app.services.db.$transaction((tx) =>
        replaceConfiguration(tx, {
          continents: [{ name: 'EU', displayName: 'Europe' }],
          countries: [{ name: 'DE', displayName: 'Germany' }],
          regions: [
            { ...region, name: 'open-1', egressAvailable: true },
            { ...region, name: 'private-1', accounts: ['northwind'] },
            { ...region, name: 'closed-1', accounts: [] },
          ],
        }),
      );
    });

    it.each([
      ['northwind', undefined, undefined],
      ['northwind', 'open-1', undefined],
      ['northwind', 'open-1', 'egress' as const],
      ['northwind', 'private-1', undefined],
      ['southwind', 'open-1', undefined],
    ])('can for %s be %s (%s)', async (account, region, feature) => {
      expect(await broken(account, region, feature)).toEqual([]);
    });

    it.each([
      [
        'southwind',
        'private-1',
        undefined,
        'must be a region that the account can use (private-1 is restricted to other accounts)',
      ],
      [
        'northwind',
        'closed-1',
        undefined,
        'must be a region that the account can use (closed-1 is restricted to other accounts)',
      ],
      ['northwind', 'open-2', undefined, 'must be a region of the platform (got "open-2")'],
      ['northwind', '', undefined, 'must be a region of the platform (got "")'],
      ['northwind', 'private-1', 'egress' as const, 'must be a region with egress (private-1 has none)'],
    ])('cannot for %s be %j (%s)', async (account, region, feature, message) => {
      expect(await broken(account, region, feature)).toEqual([`spec.region ${message}`]);
    });
  });
});
