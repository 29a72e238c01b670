import { describe, expect, it } from 'vitest';
import { isAlready } from '../../../src/console/web/lists/bulk-action.js';

describe('A bulk action that enables or disables', () => {
  it('leaves resources that are already enabled or disabled, so that Undo does not switch them', () => {
    const enabled = { metadata: {}, spec: { enabled: true } };
    const disabled = { metadata: {}, spec: { enabled: false } };
    expect([isAlready('disable', enabled), isAlready('disable', disabled)]).toEqual([false, true]);
    expect([isAlready('enable', enabled), isAlready('enable', disabled)]).toEqual([true, false]);
  });

  it('treats a resource without the field as enabled', () => {
    expect(isAlready('enable', { metadata: {}, spec: {} })).toBe(true);
    expect(isAlready('disable', { metadata: {}, spec: {} })).toBe(false);
  });
});
