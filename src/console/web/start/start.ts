// The entry script of the page. It is small, so that it runs while the rest is still loading. It signs in and sends the first
// queries of the current view. Libraries load one by one, so that the browser can handle responses in between. The views start
// once the queries are sent, or if signing in takes long.
import { askAhead } from '../api/ahead.js';
import { applyTheme } from '../frame/theme.js';
import { responseSecondsMax } from '../api/fetch-in-time.js';
import { startSession } from '../session/session.js';
import './shell.css';
import { overviewAt } from './overview-path.js';

const waitMs = 150;

applyTheme();
const starting = startSession();
askAhead(overviewAt(location.pathname));
const prepared = import('./rendering.js').then(() => import('../api/client.js'));
let isLoaded = false;
// Not awaited at the top level, because the other modules import this one.
void Promise.race([starting, new Promise((resolve) => setTimeout(resolve, waitMs))])
  .then(() => prepared)
  .then(() => import('../main.js'))
  .finally(() => {
    isLoaded = true;
  });
AbortSignal.timeout(responseSecondsMax * 1000).addEventListener('abort', () => {
  if (!isLoaded) showLate();
});

/** Says that a script was requested without a response. If it comes, the console replaces this. */
function showLate(): void {
  const text = document.createElement('p');
  text.textContent = `The console did not load within ${responseSecondsMax} seconds.`;
  const button = document.createElement('button');
  button.textContent = 'Reload';
  button.addEventListener('click', () => location.reload());
  const main = document.createElement('main');
  main.className = 'late';
  main.append(text, button);
  document.getElementById('root')?.replaceChildren(main);
}
