import { noteConnection, whenOnline } from './connection.js';

/** A part that is not there although the service is reached: a newer version of the console has other parts. */
const attemptsMax = 3;

/**
 * Loads a part of the console, such as `() => import('./palette.js')`. While the service is not reached it waits and then
 * tries again: until then everything that is shown stays, under the banner that says so.
 *
 * @throws what the last attempt failed with, when the part cannot be loaded although the service is reached.
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

// The bundler asks for each stylesheet once only: those that failed would be missing for good.
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
