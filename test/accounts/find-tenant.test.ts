import { expect, it } from 'vitest';
import { findTenant } from '../../src/accounts/find-tenant.js';
import { useApp } from '../harness.js';

const running = useApp();

it.each(['account', 'workspace'])(
  'quotes an unknown %s whole, and cuts a longer text between two characters',
  async (kind) => {
    const find = (name: string) => findTenant(running.app.services.db, { [kind]: name });
    const name = `${'a'.repeat(62)}😀b`;
    await expect(find(name)).rejects.toThrow(`There is no ${kind} named "${name}" here.`);
    await expect(find(name.repeat(1_000))).rejects.toThrow(/^.{1,140}$/u);
  },
);
