import { z } from 'zod';
import { ApiError } from '../../errors.js';

/** The first version in which lists return `{data, meta}` and support sort, q, cursor, limit and anchor. */
export const pagedListsSince = '2026-04-28';

/** The last version in which lists return unpaginated arrays. */
export const lastWholeLists = '2026-04-27';

const versionShape = z.iso.date();

/**
 * Returns the version of the header, or the default version (decision 4).
 *
 * @throws 400 `invalid_api_version` unless it is a calendar date that exists.
 */
export function appliedVersion(header: string, value: string | undefined, defaultVersion: string): string {
  if (value === undefined) return defaultVersion;
  if (!versionShape.safeParse(value).success) {
    throw new ApiError('invalid_api_version', `${header} must be a date such as ${pagedListsSince}`, { field: header });
  }
  return value;
}

export function hasPagedLists(version: string): boolean {
  return version >= pagedListsSince;
}
