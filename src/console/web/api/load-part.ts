import { noteConnection, whenOnline } from './connection.js';

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
      return await load();
    } catch (error) {
      if (attempt === attemptsMax) throw error;
      noteConnection(false);
      await whenOnline();
      await loadStylesAgain();
    }
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
