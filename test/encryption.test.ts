import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEncryption } from '../src/encryption.js';

const one = 'one secret that is long enough for it';
const two = 'another secret that is long enough too';
const encryption = createEncryption([one]);

describe('Encryption', () => {
  it('decrypts its texts for the same purpose only', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), fc.string(), (content, purpose, other) => {
        const encryptedText = encryption.encrypt(purpose, content);
        expect(encryptedText).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(encryption.decrypt(purpose, encryptedText)).toBe(content);
        fc.pre(other !== purpose);
        expect(encryption.decrypt(other, encryptedText)).toBeUndefined();
      }),
    );
  });

  it('returns a different text every time, without traces of its content', () => {
    const encryptedText = encryption.encrypt('p', 'something to hide');
    expect(encryption.encrypt('p', 'something to hide')).not.toBe(encryptedText);
    expect(Buffer.from(encryptedText, 'base64url').toString('latin1')).not.toContain('hide');
  });

  it('rejects a text with a single changed bit', () => {
    const bytes = Buffer.from(encryption.encrypt('p', 'content'), 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(encryption.decrypt('p', changed.toString('base64url'))).toBeUndefined();
    }
  });

  it('rejects another spelling of the same bytes', () => {
    const encryptedText = encryption.encrypt('p', 'content');
    for (const spelling of [
      `${encryptedText}=`,
      `${encryptedText}\n`,
      ` ${encryptedText}`,
      encryptedText.replace(/.$/, '$&!'),
    ]) {
      expect(encryption.decrypt('p', spelling)).toBeUndefined();
    }
    expect(encryption.decrypt('p', '')).toBeUndefined();
  });

  it('decrypts with every secret and encrypts with the first', () => {
    const rotated = createEncryption([two, one]);
    expect(rotated.decrypt('p', encryption.encrypt('p', 'old'))).toBe('old');
    expect(encryption.decrypt('p', rotated.encrypt('p', 'new'))).toBeUndefined();
    expect(createEncryption([two]).decrypt('p', rotated.encrypt('p', 'new'))).toBe('new');
    expect(createEncryption([two]).decrypt('p', encryption.encrypt('p', 'old'))).toBeUndefined();
  });

  it('requires at least one secret', () => {
    expect(() => createEncryption([]).encrypt('p', 'content')).toThrow('no secret');
  });
});

describe('Encryption of a row', () => {
  const row = encryption.ofRow('agent', 'one');

  it('decrypts its texts for the same table, key and purpose only', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.string(),
        fc.string(),
        fc.string(),
        (content, purpose, key, other) => {
          const encryptedText = encryption.ofRow('agent', key).encrypt(purpose, content);
          expect(encryption.ofRow('agent', key).decrypt(purpose, encryptedText)).toBe(content);
          expect(encryption.ofRow('agent', key).openCached(purpose, encryptedText)).toBe(content);
          expect(encryption.ofRow('job', key).decrypt(purpose, encryptedText)).toBeUndefined();
          expect(encryption.decrypt(purpose, encryptedText)).toBeUndefined();
          expect(encryption.decrypt(purpose, encryptedText.slice(1))).toBeUndefined();
          fc.pre(other !== key && other !== purpose);
          expect(encryption.ofRow('agent', other).decrypt(purpose, encryptedText)).toBeUndefined();
          expect(encryption.ofRow('agent', other).openCached(purpose, encryptedText)).toBeUndefined();
          expect(encryption.ofRow('agent', key).decrypt(other, encryptedText)).toBeUndefined();
        },
      ),
    );
  });

  it('decrypts values that are not bound to a row, and does not report them as current', () => {
    const unbound = encryption.encrypt('p', 'old');
    expect(row.decrypt('p', unbound)).toBe('old');
    expect(row.decrypt('p', `~${unbound}`)).toBeUndefined();
    expect(row.isCurrent('p', unbound)).toBe(false);
    expect(row.isCurrent('p', row.encrypt('p', 'new'))).toBe(true);
  });

  it('identifies values under older secrets', () => {
    const rotated = createEncryption([two, one]).ofRow('agent', 'one');
    expect(rotated.decrypt('p', row.encrypt('p', 'old'))).toBe('old');
    expect(rotated.isCurrent('p', row.encrypt('p', 'old'))).toBe(false);
    expect(rotated.isCurrent('p', rotated.encrypt('p', 'new'))).toBe(true);
  });
});
