import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { queryCursors } from '../../src/pagination/cursor.js';
import { createEncryption } from '../../src/encryption.js';

const start = new Date('2026-11-20T12:00:00.000Z');
const hourMs = 3_600_000;
const oldSecret = 'the secret that was there before this one';
const newSecret = 'the secret that took its place afterwards';
const encryption = createEncryption([oldSecret]);
const query = { list: 'agents', workspace: 'w', sort: 'name:asc', search: undefined, version: '2026-04-28' };
const position = { key: 'alpha', id: '0197a000-0000-7000-8000-000000000001' };

function refusal(error: string) {
  return expect.objectContaining({ error, status: 400, field: 'after' });
}

describe('A cursor', () => {
  it('decodes to its position, for the same query', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.uuid(), (key, id) => {
        const cursors = queryCursors(encryption, () => start, query);
        const cursor = cursors.encode({ key, id });
        expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(cursors.decode('after', cursor)).toEqual({ key, id });
      }),
    );
  });

  it('is valid for the same query in another order of its parts, on another instance', () => {
    const cursor = queryCursors(encryption, () => start, query).encode(position);
    const { version, sort, workspace, list, search } = query;
    const other = queryCursors(createEncryption([oldSecret]), () => start, { version, sort, workspace, list, search });
    expect(other.decode('after', cursor)).toEqual(position);
  });

  it('is rejected for another query: cursor_mismatch', () => {
    const part = fc.record({
      list: fc.string(),
      workspace: fc.string(),
      sort: fc.string(),
      search: fc.option(fc.string(), { nil: undefined }),
    });
    fc.assert(
      fc.property(part, part, (one, other) => {
        fc.pre(JSON.stringify(Object.entries(one)) !== JSON.stringify(Object.entries(other)));
        const cursor = queryCursors(encryption, () => start, one).encode(position);
        expect(() => queryCursors(encryption, () => start, other).decode('after', cursor)).toThrow(
          refusal('cursor_mismatch'),
        );
      }),
    );
  });

  it('is valid for 24 hours after the hour in which it was issued, then returns cursor_expired for any query', () => {
    const at = (ms: number) => queryCursors(encryption, () => new Date(start.getTime() + ms), query);
    for (const issuedAtMs of [0, 1, hourMs - 1]) {
      const cursor = at(issuedAtMs).encode(position);
      expect(at(issuedAtMs + 24 * hourMs).decode('after', cursor)).toEqual(position);
      expect(at(25 * hourMs - 1).decode('after', cursor)).toEqual(position);
      expect(() => at(25 * hourMs).decode('after', cursor)).toThrow(refusal('cursor_expired'));
    }
  });

  it('is the same text for the same row of the same query, within the hour and on another instance', () => {
    const text = queryCursors(encryption, () => start, query).encode(position);
    const later = new Date(start.getTime() + hourMs - 1);
    expect(queryCursors(createEncryption([oldSecret]), () => later, { ...query }).encode({ ...position })).toBe(text);
    expect(queryCursors(encryption, () => start, query).encode({ ...position, key: 'beta' })).not.toBe(text);
    expect(queryCursors(encryption, () => start, { ...query, sort: 'name:desc' }).encode(position)).not.toBe(text);
  });

  it('returns cursor_invalid if it was changed, truncated, or encrypted for another purpose', () => {
    const cursors = queryCursors(encryption, () => start, query);
    const cursor = cursors.encode(position);
    for (let index = 0; index < cursor.length; index++) {
      const changed = `${cursor.slice(0, index)}${cursor[index] === 'A' ? 'B' : 'A'}${cursor.slice(index + 1)}`;
      expect(() => cursors.decode('after', changed)).toThrow(refusal('cursor_invalid'));
      expect(() => cursors.decode('after', cursor.slice(0, index))).toThrow(refusal('cursor_invalid'));
    }
    expect(() => cursors.decode('after', encryption.encrypt('callback secret', '[]'))).toThrow(
      refusal('cursor_invalid'),
    );
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => cursors.decode('after', text)).toThrow(refusal('cursor_invalid'));
      }),
    );
  });

  it('stays valid after a rotation of the secret, while the old one is configured', () => {
    const cursor = queryCursors(encryption, () => start, query).encode(position);
    const rotated = queryCursors(createEncryption([newSecret, oldSecret]), () => start, query);
    expect(rotated.decode('after', cursor)).toEqual(position);
    expect(() => queryCursors(encryption, () => start, query).decode('after', rotated.encode(position))).toThrow(
      refusal('cursor_invalid'),
    );
    const afterwards = queryCursors(createEncryption([newSecret]), () => start, query);
    expect(afterwards.decode('after', rotated.encode(position))).toEqual(position);
    expect(() => afterwards.decode('after', cursor)).toThrow(refusal('cursor_invalid'));
  });
});
