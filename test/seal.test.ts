import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSeal } from '../src/encryption.js';

const one = 'one secret that is long enough for it';
const two = 'another secret that is long enough too';
const seal = createSeal([one]);

describe('A seal', () => {
  it('opens what it sealed, for the same purpose and no other', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), fc.string(), (content, purpose, other) => {
        const sealed = seal.seal(purpose, content);
        expect(sealed).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(seal.open(purpose, sealed)).toBe(content);
        fc.pre(other !== purpose);
        expect(seal.open(other, sealed)).toBeUndefined();
      }),
    );
  });

  it('never looks the same twice, and shows nothing of its content', () => {
    const sealed = seal.seal('p', 'something to hide');
    expect(seal.seal('p', 'something to hide')).not.toBe(sealed);
    expect(Buffer.from(sealed, 'base64url').toString('latin1')).not.toContain('hide');
  });

  it('does not open what was changed by a single bit', () => {
    const bytes = Buffer.from(seal.seal('p', 'content'), 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(seal.open('p', changed.toString('base64url'))).toBeUndefined();
    }
  });

  it('does not open another spelling of the same bytes', () => {
    const sealed = seal.seal('p', 'content');
    for (const spelling of [`${sealed}=`, `${sealed}\n`, ` ${sealed}`, sealed.replace(/.$/, '$&!')]) {
      expect(seal.open('p', spelling)).toBeUndefined();
    }
    expect(seal.open('p', '')).toBeUndefined();
  });

  it('opens with every secret, and seals with the first', () => {
    const rotated = createSeal([two, one]);
    expect(rotated.open('p', seal.seal('p', 'old'))).toBe('old');
    expect(seal.open('p', rotated.seal('p', 'new'))).toBeUndefined();
    expect(createSeal([two]).open('p', rotated.seal('p', 'new'))).toBe('new');
    expect(createSeal([two]).open('p', seal.seal('p', 'old'))).toBeUndefined();
  });

  it('cannot be made of no secret', () => {
    expect(() => createSeal([]).seal('p', 'content')).toThrow('no secret');
  });
});

describe('A seal of a row', () => {
  const row = seal.ofRow('agent', 'one');

  it('opens what it sealed for that row, and for no other table, key or purpose', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.string(),
        fc.string(),
        fc.string(),
        (content, purpose, key, other) => {
          const sealed = seal.ofRow('agent', key).seal(purpose, content);
          expect(seal.ofRow('agent', key).open(purpose, sealed)).toBe(content);
          expect(seal.ofRow('agent', key).openAgain(purpose, sealed)).toBe(content);
          expect(seal.ofRow('job', key).open(purpose, sealed)).toBeUndefined();
          expect(seal.open(purpose, sealed)).toBeUndefined();
          expect(seal.open(purpose, sealed.slice(1))).toBeUndefined();
          fc.pre(other !== key && other !== purpose);
          expect(seal.ofRow('agent', other).open(purpose, sealed)).toBeUndefined();
          expect(seal.ofRow('agent', other).openAgain(purpose, sealed)).toBeUndefined();
          expect(seal.ofRow('agent', key).open(other, sealed)).toBeUndefined();
        },
      ),
    );
  });

  it('opens what was sealed before values were bound, and does not take it for bound', () => {
    const unbound = seal.seal('p', 'old');
    expect(row.open('p', unbound)).toBe('old');
    expect(row.open('p', `~${unbound}`)).toBeUndefined();
    expect(row.isCurrent('p', unbound)).toBe(false);
    expect(row.isCurrent('p', row.seal('p', 'new'))).toBe(true);
  });

  it('tells what is under another secret than the first', () => {
    const rotated = createSeal([two, one]).ofRow('agent', 'one');
    expect(rotated.open('p', row.seal('p', 'old'))).toBe('old');
    expect(rotated.isCurrent('p', row.seal('p', 'old'))).toBe(false);
    expect(rotated.isCurrent('p', rotated.seal('p', 'new'))).toBe(true);
  });
});
