// The rules and texts of forms that need no browser.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { previewCron } from '../../../src/console/web/editing/cron-text.js';
import { defaultOf } from '../../../src/console/web/editing/default-text.js';
import { valueAt, withBuiltImage, withValueAt } from '../../../src/console/web/editing/document-path.js';
import { duplicateOf, missingSecretsIn } from '../../../src/console/web/editing/duplicate.js';
import { nameProblem } from '../../../src/console/web/editing/name-rules.js';
import { resourceName } from '../../../src/schema/resource.js';

describe('The rule of a name', () => {
  it('is that of the service', () => {
    const name = fc.stringMatching(/^[a-zA-Z0-9 _é-]{1,52}$/u);
    fc.assert(
      fc.property(name, (each) => {
        expect(nameProblem(each) === undefined).toBe(resourceName.safeParse(each).success);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is not shown before anything is typed', () => {
    expect(nameProblem('')).toBeUndefined();
  });
});

describe('A value at a path', () => {
  it('is set with the objects around it, and removed with those that become empty', () => {
    const set = withValueAt({ metadata: { name: 'a' } }, 'spec.runtime.memory', 4096);
    expect(set).toEqual({ metadata: { name: 'a' }, spec: { runtime: { memory: 4096 } } });
    expect(valueAt(set, 'spec.runtime.memory')).toBe(4096);
    expect(withValueAt(set, 'spec.runtime.memory', undefined)).toEqual({ metadata: { name: 'a' } });
    expect(valueAt(set, 'spec.region.x')).toBeUndefined();
  });
});

describe('A text that does not name the built image', () => {
  const before = { metadata: { name: 'a' }, spec: { runtime: { image: 'a:1', memory: 2048 } } };

  it('keeps it, and another image replaces it', () => {
    const bare = { metadata: { name: 'a' } };
    expect(withBuiltImage(before, bare)).toEqual({ ...bare, spec: { runtime: { image: 'a:1' } } });
    expect(withBuiltImage(before, { ...bare, spec: {} })).toEqual({ ...bare, spec: { runtime: { image: 'a:1' } } });
    const other = { ...bare, spec: { runtime: { image: 'a:2' } } };
    expect(withBuiltImage(before, other)).toEqual(other);
    expect(withBuiltImage(bare, bare)).toEqual(bare);
    expect(withBuiltImage(before, undefined)).toBeUndefined();
  });
});

describe('The preview of a schedule', () => {
  const now = new Date('2026-03-27T10:00:00Z');
  const runsOf = (schedule: string, zone: string) => {
    const preview = previewCron(schedule, zone, now);
    return preview !== undefined && 'runs' in preview ? preview.runs.map((run) => run.toISOString()) : preview;
  };

  it('has words and the next three runs in its time zone, across a clock change', () => {
    expect(previewCron('30 6 * * 1-5', 'UTC', now)).toMatchObject({ words: 'At 06:30, Monday through Friday' });
    expect(runsOf('0 9 * * *', 'Europe/Berlin')).toEqual([
      '2026-03-28T08:00:00.000Z',
      '2026-03-29T07:00:00.000Z',
      '2026-03-30T07:00:00.000Z',
    ]);
  });

  it('has the violated rule, no runs of a day that does not exist, and nothing for an unknown time zone', () => {
    expect(previewCron('@daily', 'UTC', now)).toEqual({
      problem: 'Must have exactly five fields: minute hour day month weekday',
    });
    expect(runsOf('0 0 30 2 *', 'UTC')).toEqual([]);
    expect(previewCron('0 0 * * *', 'Mars/Olympus', now)).toBeUndefined();
  });
});

describe('The default of a field', () => {
  it('is read from its description', () => {
    expect(defaultOf({ hint: 'IANA time zone of the schedule (default: UTC).' })).toBe('UTC');
    expect(defaultOf({ hint: 'Enables the agent. Default: true.' })).toBe('true');
    expect(defaultOf({ hint: 'Memory (MB).' })).toBeUndefined();
  });
});

describe('A duplicate', () => {
  const original = {
    metadata: { displayName: 'One', externalId: 'x-1', labels: { team: 'ops' } },
    spec: {
      revision: { active: 'r1' },
      runtime: {
        image: 'i',
        envs: [
          { name: 'A', value: 'one' },
          { name: 'B', value: '***', secret: true },
        ],
      },
    },
  };

  it('has no name, external id, revisions and secrets', () => {
    expect(duplicateOf(original)).toEqual({
      metadata: { name: '', displayName: 'One', labels: { team: 'ops' } },
      spec: {
        runtime: {
          image: 'i',
          envs: [
            { name: 'A', value: 'one' },
            { name: 'B', secret: true },
          ],
        },
      },
    });
  });

  it('lacks each secret until it is entered', () => {
    const copy = duplicateOf(original);
    expect(missingSecretsIn(copy).map(({ path }) => path)).toEqual(['spec.runtime.envs.1.value']);
    const entered = withValueAt(copy, 'spec.runtime.envs', [{ name: 'B', secret: true, value: 'x' }]);
    expect(missingSecretsIn(entered)).toEqual([]);
  });
});
