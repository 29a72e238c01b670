import { pathPrefix } from '../session/settings.js';

/** The workspace whose overview is at a path; undefined for other views. */
export function overviewAt(path: string): string | undefined {
  const name = /^\/w\/([^/]+)\/?$/.exec(path.slice(pathPrefix.length))?.[1];
  return name === undefined ? undefined : decodeURIComponent(name);
}
