import { describe, expect, it } from 'vitest';
import { createApplyReport } from '../../src/cli/apply-report.js';
import { applyKindOf } from '../../src/manifests/apply-kind.js';
import { differencesOf } from '../../src/manifests/difference.js';

/** Keys of labels that every object of JavaScript inherits. */
const inherited = ['constructor', 'toString', 'hasOwnProperty'];

describe('differencesOf()', () => {
  it.each(inherited)('shows a label %s that is added or removed', (key) => {
    const [without, added] = [{ labels: { team: 'care' } }, { labels: { team: 'care', [key]: 'x' } }];
    expect(differencesOf(without, added)).toEqual([{ path: `labels.${key}`, before: undefined, after: 'x' }]);
    expect(differencesOf(added, without)).toEqual([{ path: `labels.${key}`, before: 'x', after: undefined }]);
  });

  it.each(inherited)('is printed by apply for a label %s', (key) => {
    const kind = applyKindOf('Agent');
    if (kind === undefined) throw new Error('no agents');
    const report = createApplyReport({ isDryRun: false, isJson: false });
    const changes = differencesOf({ labels: { team: 'care' } }, { labels: { team: 'care', [key]: 'x' } });
    report.outcome({ action: 'updated', reference: { kind, workspace: 'main', parents: [], name: 'a' }, changes });
    expect(report.result().stdout).toContain(`labels.${key}: nothing -> "x"`);
  });
});
