// Ended invitations are deleted a month later, for any reason of the end; pending ones remain.
import { expect, it } from 'vitest';
import { runBackgroundTasks } from '../../src/server/run-background-tasks.js';
import { backgroundTasks } from '../../src/server/background-tasks.js';
import { createTenant, frozenNow, useApp } from '../harness.js';

const running = useApp();
const dayMs = 24 * 60 * 60_000;

it('deletes invitations that ended a month ago, and no others', async () => {
  expect(Object.values(backgroundTasks)).toContain(backgroundTasks.forgetInvitations);
  const { app } = running;
  const { db } = app.services;
  const { accountId, workspaces } = await createTenant(app, { account: 'northwind', workspaces: ['main'] });
  const at = (days: number) => new Date(frozenNow.getTime() + days * dayMs);
  const ways: [name: string, more: object][] = [
    ['accepted long ago', { status: 'accepted', decidedAt: at(-31), expiresAt: at(-25) }],
    ['declined long ago', { status: 'declined', decidedAt: at(-31), expiresAt: at(-25) }],
    ['revoked long ago, to expire yet', { status: 'revoked', decidedAt: at(-31), expiresAt: at(5) }],
    ['expired long ago', { expiresAt: at(-31) }],
    ['expired, then revoked lately', { status: 'revoked', decidedAt: at(-1), expiresAt: at(-31) }],
    ['accepted lately', { status: 'accepted', decidedAt: at(-29), expiresAt: at(-20) }],
    ['expired lately', { expiresAt: at(-29) }],
    ['waits', { expiresAt: at(5) }],
  ];
  for (const [name, more] of ways) {
    await db.invitation.create({
      data: { accountId, workspaceId: workspaces['main'] ?? null, name, role: 'member', expiresAt: at(1), ...more },
    });
  }
  const left = async () => {
    await Promise.all(
      [1, 2].map(() => runBackgroundTasks(app.services, app.config, [backgroundTasks.forgetInvitations])),
    );
    return (await db.invitation.findMany()).map(({ name }) => name).toSorted();
  };
  expect(await left()).toEqual(['accepted lately', 'expired lately', 'waits']);
  app.clock.now = at(36);
  expect(await left()).toEqual([]);
  app.clock.now = frozenNow;
});
