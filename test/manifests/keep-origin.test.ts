// Manifests of another installation, applied with the createdAt and createdBy of their resources.
import { beforeAll, describe, expect, it } from 'vitest';
import { createKey, createTenant, frozenNow, useApp } from '../harness.js';
import { addRegion, openShell, platformOf } from './command.js';
import type { Shell } from './command.js';

const running = useApp({ PLATFORM_ACCOUNT: 'platform' });
/** An account with a resource of every kind, and its manifests. */
let source: Shell;
let printed = '';
/** An account that they are moved to, with the key of an admin of the platform. */
let target: Shell;

const createdAt = '2026-03-04T05:06:07.890Z';

beforeAll(async () => {
  const { app } = running;
  await addRegion(app, 'eu-open');
  const platform = await createTenant(app, { account: 'platform', workspaces: ['ops'] });
  source = await openShell(app);
  target = await openShell(app);
  const { accountId } = target.tenant;
  const { principalId } = platform;
  await app.services.db.accountMember.create({ data: { accountId, principalId, role: 'admin' } });
  target.environment['KEY'] = (await createKey(app, { accountId, principalId })).key;
  app.clock.now = new Date(createdAt);
  await source.done('apply -f -', platformOf(source.workspace));
  printed = await source.done(`get all --workspace ${source.workspace} -o yaml`);
  app.clock.now = frozenNow;
});

const movedTo = ({ workspace }: Shell, manifests = printed) =>
  // Secrets are printed as masks, which only the installation where they are stored can read.
  manifests
    .replaceAll(`workspace: ${source.workspace}`, `workspace: ${workspace}`)
    .replaceAll(/(['"])\*\*\*\1/g, 'new');

const agentOf = (name: string, metadata: string) =>
  `kind: Agent\nworkspace: ${target.workspace}\nmetadata: { name: ${name}, ${metadata} }\n`;

const stored = (name: string) => running.app.services.db.agent.findFirst({ where: { name } });

describe('apply --keep-origin', () => {
  it('keeps createdAt and createdBy of the resources of every kind that another installation prints', async () => {
    const by = `owner@${source.workspace.replace('-main', '')}.example.com`;
    expect(printed.split(`  createdAt: "${createdAt}"\n  createdBy: ${by}\n`)).toHaveLength(9);
    const dry = await target.done('apply -f - --keep-origin --dry-run', movedTo(target));
    expect(dry).toContain('Dry run, nothing was changed: 8 created');
    expect(await target.done('apply -f - --keep-origin', movedTo(target))).toContain('8 created, 0 updated');
    const again = await target.done(`get all --workspace ${target.workspace} -o yaml`);
    expect(movedTo(target, again)).toBe(movedTo(target));
    expect(await target.done('apply -f - --keep-origin', movedTo(target))).toContain(
      '0 created, 0 updated, 8 unchanged',
    );
  });

  it('does not change the origin of existing resources', async () => {
    await target.done('apply -f -', agentOf('existing', 'displayName: One'));
    const document = agentOf('existing', `displayName: Two, createdAt: '${createdAt}', createdBy: ada`);
    const updated = await target.done('apply -f - --keep-origin', document);
    expect(updated).toContain('metadata.displayName: "One" -> "Two"\n0 created, 1 updated');
    expect(await stored('existing')).toMatchObject({ createdAt: frozenNow, createdBy: 'owner@platform.example.com' });
  });

  it('is the caller and the time of the import without the option, and for documents without an origin', async () => {
    await target.done('apply -f -', agentOf('ignored', `createdAt: '${createdAt}', createdBy: ada`));
    await target.done('apply -f - --keep-origin', agentOf('silent', 'displayName: Silent'));
    for (const name of ['ignored', 'silent']) {
      expect(await stored(name)).toMatchObject({ createdAt: frozenNow, createdBy: 'owner@platform.example.com' });
    }
  });

  it('refuses the document with a time in the future or that is no time, and applies the others', async () => {
    const documents = [
      agentOf('future', "createdAt: '2026-11-21T00:00:00Z'"),
      agentOf('no-time', 'createdAt: 5'),
      agentOf('fine', `createdAt: '${createdAt}'`),
    ];
    const { stdout, exitCode } = await target.run('apply -f - --keep-origin', documents.join('---\n'));
    expect(stdout).toContain(
      `refused    Agent ${target.workspace}/future (standard input, document 1)\n    origin.createdAt must be from the year 2000 on, and not in the future\n`,
    );
    expect(stdout).toMatch(/no-time \(standard input, document 2\)\n {4}.*origin\.createdAt.* A DateTime must be/);
    expect(stdout).toContain('1 created, 0 updated, 0 unchanged, 0 deleted, 2 refused.');
    expect(exitCode).toBe(1);
    expect(await stored('fine')).toMatchObject({ createdAt: new Date(createdAt) });
  });

  it('is refused for others than admins of the platform, and creates nothing', async () => {
    const other = await openShell(running.app);
    const { stdout, exitCode } = await other.run('apply -f - --keep-origin', movedTo(other));
    expect(stdout).toContain(
      '    Only an admin of the platform can set origin, with the scope admin and not confined to a workspace.\n',
    );
    expect(stdout).toMatch(/\n0 created, 0 updated, 0 unchanged, 0 deleted, 8 refused\.\n$/);
    expect(exitCode).toBe(1);
    const { db } = running.app.services;
    expect(await db.agent.count({ where: { workspace: { name: other.workspace } } })).toBe(0);
  });
});
