import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalUserName } from '../../src/auth/user-name.js';

describe('The name of a user', () => {
  it.each([
    ['bo@example.com', 'bo@example.com'],
    [' Bo@Example.COM\n', 'bo@example.com'],
    ['ｂｏ＠ｅｘａｍｐｌｅ．ｃｏｍ', 'bo@example.com'],
    ['bo@e\u2179ample.com', 'bo@example.com'],
    ['\u212Aim@example.com', 'kim@example.com'],
    ['ﬁona@example.com', 'fiona@example.com'],
    ['u\u0308we@example.com', 'üwe@example.com'],
    ['deploy-bot', 'deploy-bot'],
  ])('%j is normalized to %j', (typed, name) => {
    expect(canonicalUserName(typed)).toBe(name);
  });

  it.each([
    '',
    '   ',
    'bo\0@example.com',
    'bo\u0001@example.com',
    'bo\n@example.com',
    'bo\u200B@example.com',
    'bo\u00AD@example.com',
    'bo\u202E@example.com',
    'bo\u3164@example.com',
    'bo\uFE0F@example.com',
    'bo\uD800@example.com',
    `${'x'.repeat(250)}@example.com`,
    'ﷺ'.repeat(20_000),
  ])('cannot be %j', (typed) => {
    expect(canonicalUserName(typed)).toBeUndefined();
  });

  it('is stable under normalization', () => {
    const once = (typed: string) => canonicalUserName(typed) ?? '';
    const typed = fc.string({ unit: 'binary', maxLength: 40 });
    expect(fc.check(fc.property(typed, (text) => once(text) === (canonicalUserName(once(text)) ?? '')))).toMatchObject({
      failed: false,
    });
  });
});
