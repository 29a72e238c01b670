// Starts with the longest files, so that none of them is left to one worker at the end. Files without a recorded time
// are sorted by size, after these.
import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';

/** Half a minute and more, the longest first. */
const longest = [
  'package',
  'console/views-in-browser',
  'api/oauth/pages',
  'console/browser',
  'server/start',
  'console/frame-in-browser',
  'metering/killed-usage',
  'auth/mutations',
  'resources/isolation',
  'resources/round-trips',
  'cli/main',
  'database/migrate',
  'cli/operator/reencrypt-secrets',
].map((name) => `/test/${name}.slow.test.ts`);

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => longest.findIndex((path) => moduleId.endsWith(path));
    const first = files.filter((file) => place(file) >= 0).toSorted((a, b) => place(a) - place(b));
    const others = files.filter((file) => place(file) < 0);
    // oxlint-disable-next-line unicorn/no-array-sort -- It is the sequencer's.
    return [...first, ...(await super.sort(others))];
  }
}
