import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readMigrations } from '../../src/database/migrate.js';
import { migrationsFolder } from '../../src/database/migrator.js';

const releasesFolder = fileURLToPath(new URL('releases', import.meta.url));

const names = readMigrations(migrationsFolder).map(({ name }) => name);

/** The migrations that a released version has applied. */
const released = new Set(
  readdirSync(releasesFolder)
    .filter((file) => file.endsWith('.sql.gz'))
    .flatMap((file) => {
      const dump = gunzipSync(readFileSync(`${releasesFolder}/${file}`)).toString();
      return Array.from(dump.matchAll(/'(\d{14}_\w+)'/g), ([, name = '']) => name);
    }),
);

describe('the name of a migration', () => {
  it.each(names)('%s starts with the time at which it was written (UTC), which is not in the future', (name) => {
    const [, year, month, day, hour, minute, second] =
      /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)_[a-z][a-z0-9_]*$/.exec(name) ?? [];
    const written = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
    expect(written).not.toBeNaN();
    // A contributor may name a migration in local time.
    expect(written).toBeLessThan(Date.now() + 24 * 3_600_000);
  });

  it('comes after the names of all released migrations, unless it is one of them', () => {
    const newest = [...released].toSorted().at(-1) ?? '';
    expect(newest).not.toBe('');
    expect(names.filter((name) => !released.has(name) && name <= newest)).toEqual([]);
  });
});
