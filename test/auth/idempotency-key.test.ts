import { describe, expect, it } from 'vitest';
import { idempotencyKeyOf } from '../../src/auth/idempotency-key.js';

const read = (value: string) => idempotencyKeyOf({ 'idempotency-key': value });

describe('The header Idempotency-Key', () => {
  it.each([
    ['"8e03978e-40d5-43e8-bc93-6894a57f9324"', '8e03978e-40d5-43e8-bc93-6894a57f9324'],
    ['8e03978e-40d5-43e8-bc93-6894a57f9324', '8e03978e-40d5-43e8-bc93-6894a57f9324'],
    ['"one, two"', 'one, two'],
    [String.raw`"a \"b\" \\c"`, String.raw`a "b" \c`],
    ['order 17', 'order 17'],
    ['x'.repeat(255), 'x'.repeat(255)],
    [`"${'x'.repeat(255)}"`, 'x'.repeat(255)],
  ])('accepts %s', (header, key) => {
    expect(read(header)).toBe(key);
  });

  it('can be absent', () => {
    expect(idempotencyKeyOf({})).toBeUndefined();
  });

  it.each([
    ['nothing', ''],
    ['only spaces', '  '],
    ['nothing in quotes', '""'],
    ['more than 255 characters', 'x'.repeat(256)],
    ['a control character', 'a\tb'],
    ['NUL', 'a\0b'],
    ['letters beyond ASCII', 'clé'],
    ['two headers, which Node joins', 'one, two'],
    ['two headers in quotes', '"one", "two"'],
    ['a quote that does not end', '"one'],
    ['an unknown escape', String.raw`"a\n"`],
    ['parameters', '"one";two=3'],
  ])('is rejected by its name with %s in it', (_what, header) => {
    expect(() => read(header)).toThrow(/Idempotency-Key/);
  });
});
