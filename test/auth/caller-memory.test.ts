import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { rememberCallers } from '../../src/auth/caller-memory.js';
import type { Caller } from '../../src/auth/caller.js';

function callerNamed(name: string): Caller {
  return {
    principal: { id: name, kind: 'user', name, displayName: undefined },
    credential: { kind: 'api_key', id: name, label: name, expiresAt: undefined },
    scopes: new Set(['admin']),
    accounts: [],
    confinedTo: undefined,
    workspaces: new Map(),
    addWorkspace: () => {},
    forget: () => {},
  };
}

const times = { createdAt: new Date(0), updatedAt: new Date(0) };
const named = { id: 'main', version: 1, name: 'main', displayName: undefined, role: 'admin', ...times } as const;
const workspace = { ...named, account: { ...named, plan: 'free', requiredSignInProvider: null } };

describe('A lookup of a caller', () => {
  it('that ends after a later one has the caller of the later one', async () => {
    const find = rememberCallers();
    const older = find('digest', { load: () => setTimeout(50, callerNamed('older')), isOurs: true });
    const newer = await find('digest', { load: async () => callerNamed('newer'), isOurs: true }, true);
    expect(newer.principal.name).toBe('newer');
    expect(await older).toBe(newer);
  });

  it.each([
    ['ends before', 0],
    ['ends after', 50],
  ])('that begins before the creation of a workspace and %s it is not used by the next request', async (_when, ms) => {
    const find = rememberCallers();
    const creator = await find('digest', { load: async () => callerNamed('creator'), isOurs: true });
    const without = find('digest', { load: () => setTimeout(ms, callerNamed('without')), isOurs: true }, true);
    if (ms === 0) await without;
    creator.addWorkspace(workspace);
    await without;
    const next = await find('digest', { load: async () => callerNamed('next'), isOurs: true });
    expect(next.principal.name).toBe('next');
  });
});
