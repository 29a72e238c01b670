// Usage of a deleted workspace: nothing new is recorded, and recorded usage can be corrected.
import { beforeAll, describe, expect, it } from 'vitest';
import { createBillingDimension } from '../../src/billing/billing-changes.js';
import { allAccountsContext, platformContext } from '../../src/cli/operator/operator-context.js';
import { amendUsage, voidUsage } from '../../src/metering/usage-adjustments.js';
import { recordUsage } from '../../src/metering/usage.js';
import { createKey, useApp } from '../harness.js';
import { mutate } from '../resources/mutations.js';
import { contextOf, createOwner } from './usage-mixture.js';
import type { Owner } from './usage-mixture.js';
import { sumsExpected, sumsOf, usageEvent } from './usage-samples.js';

const running = useApp();
let owner: Owner;
const left = (n: number, more: object = {}) => usageEvent(n, { workspace: 'left', ...more });
const credit = { billingDimension: 'goodwill', usage: '-1', cost: '-2' };
const notThere = { outcome: 'invalid', field: 'workspace', message: 'workspace must be a workspace of the account' };

beforeAll(async () => {
  const { app } = running;
  owner = await createOwner(app, 'northwind', ['main', 'left', 'unused']);
  const given = { unit: 'USD', resourceTypes: ['sandbox'], description: 'Given back' };
  await createBillingDimension(await platformContext(app.services), { ...given, name: 'goodwill', kind: 'credit' });
  await recordUsage(owner.ctx, [left(1), left(2), left(3)]);
  for (const name of ['left', 'unused']) await mutate(app, owner.key, 'deleteWorkspace', '__typename', { name });
});

describe('A deleted workspace', () => {
  it('accepts no usage after the response to its deletion', async () => {
    // The caller of this context was read before the deletion.
    expect(owner.ctx.caller.workspaces.has('left')).toBe(true);
    expect(await recordUsage(owner.ctx, [left(4), usageEvent(5)])).toEqual([notThere, { outcome: 'accepted' }]);
    const { app } = running;
    expect(await recordUsage(await allAccountsContext(app.services), [left(4)])).toEqual([notThere]);
  });

  it('has usage that can be amended and voided', async () => {
    const amended = left(2, { cost: '0.5' });
    const asked = { account: 'northwind', reason: 'the last invoice' };
    expect(await amendUsage(owner.ctx, { ...asked, events: [amended] })).toMatchObject({
      results: [{ outcome: 'amended' }],
    });
    const moved = usageEvent(1, { workspace: 'unused' });
    expect(await amendUsage(owner.ctx, { ...asked, events: [moved] })).toMatchObject({ results: [notThere] });
    expect(await voidUsage(owner.ctx, { ...asked, source: 'meter', ids: ['event-3'] })).toMatchObject({
      results: [{ outcome: 'voided' }],
    });
    const counted = [left(1), amended, usageEvent(5)];
    expect(await sumsOf(owner.ctx, owner.accountId)).toEqual(sumsExpected(counted));
  });

  it('can be credited if usage was recorded in it, by a caller who is not confined to another', async () => {
    const events = [left(6, credit), usageEvent(7, { ...credit, workspace: 'unused' })];
    const { key } = await createKey(running.app, {
      ...owner.tenant,
      workspaceId: owner.tenant.workspaces['main'] ?? '',
    });
    expect(await recordUsage(await contextOf(running.app, key), events)).toEqual([notThere, notThere]);
    expect(await recordUsage(owner.ctx, events)).toEqual([{ outcome: 'accepted' }, notThere]);
  });
});
