import { valueAt } from '../activity/value-at.js';

/** The tag of the image in a recorded version, such as r17; undefined without one. */
export function previousTag(record: unknown): string | undefined {
  const image = valueAt(record, 'spec.runtime.image');
  return typeof image === 'string' ? /:([\w.-]+)$/.exec(image)?.[1] : undefined;
}
