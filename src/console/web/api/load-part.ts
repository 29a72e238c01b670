import { noteConnection, whenOnline } from './connection.js';
import { responseSecondsMax } from './fetch-in-time.js';

/** Retries before giving up. A part can be missing after a deployment of a newer version. */
const attemptsMax = 3;

/**
 * Loads a part of the console, such as `() => import('./palette.js')`. While the connection is lost it waits and retries. The
 * current view stays, with a banner.
 *
 * @throws the error of the last attempt if the part cannot be loaded although the service is reachable.
 */
export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await noteIfLate(load());
    } catch (error) {
      if (attempt === attemptsMax) throw error;
      noteConnection(false);
      await whenOnline();
      await loadStylesAgain();
    }
  }
}

let lateCount = 0;
const lateListeners = new Set<() => void>();

/** Whether a part has not loaded in time. The browser does not request it again until the page is reloaded. */
export function isPartLate(): boolean {
  return lateCount > 0;
}

export function onPartLateChange(listener: () => void): () => void {
  lateListeners.add(listener);
  return () => lateListeners.delete(listener);
}

async function noteIfLate<Part>(loading: Promise<Part>): Promise<Part> {
  const change = (by: 1 | -1) => {
    lateCount += by;
    for (const listener of lateListeners) listener();
  };
  const limit = AbortSignal.timeout(responseSecondsMax * 1000);
  const noteLate = () => change(1);
  limit.addEventListener('abort', noteLate);
  try {
    return await loading;
  } finally {
    limit.removeEventListener('abort', noteLate);
    if (limit.aborted) change(-1);
  }
}

// The bundler requests each stylesheet only once, so failed ones must be loaded again.
const failedStyles = new Set<HTMLLinkElement>();
document.addEventListener(
  'error',
  ({ target }) => {
    if (target instanceof HTMLLinkElement && target.rel === 'stylesheet') failedStyles.add(target);
  },
  { capture: true },
);

async function loadStylesAgain(): Promise<void> {
  const links = [...failedStyles];
  failedStyles.clear();
  await Promise.all(
    links.map(async (link) => {
      const again = document.createElement('link');
      again.rel = 'stylesheet';
      again.crossOrigin = link.crossOrigin;
      again.href = link.href;
      const settled = new Promise((resolve) => {
        again.addEventListener('load', resolve);
        again.addEventListener('error', resolve);
      });
      link.replaceWith(again);
      await settled;
    }),
  );
}
