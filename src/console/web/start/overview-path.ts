import { pathPrefix } from '../session/settings.js';

/** The workspace whose overview is at a path; undefined for other views, and for a path with a broken encoding. */
export function overviewAt(path: string): string | undefined {
  const name = /^\/w\/([^/]+)\/?$/.exec(path.slice(pathPrefix.length))?.[1];
  if (name === undefined) return undefined;
  try {
    return decodeURIComponent(name);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
