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
  };
}

describe('A lookup of a caller', () => {
  it('that ends after a later one has the caller of the later one', async () => {
    const find = rememberCallers();
    const older = find('digest', { load: () => setTimeout(50, callerNamed('older')), isOurs: true });
    const newer = callerNamed('newer');
    expect(await find('digest', { load: async () => newer, isOurs: true }, true)).toBe(newer);
    expect(await older).toBe(newer);
  });
});
