// The entry script of the page. It is small, so that it runs while the rest is still loading. It signs in and sends the first
// queries of the current view. Libraries load one by one, so that the browser can handle responses in between. The views start
// once the queries are sent, or if signing in takes long.
import { askAhead } from '../api/ahead.js';
import { applyTheme } from '../frame/theme.js';
import { startSession } from '../session/session.js';
import './shell.css';
import { overviewAt } from './overview-path.js';

const waitMs = 150;

applyTheme();
const starting = startSession();
askAhead(overviewAt(location.pathname));
const prepared = import('./rendering.js').then(() => import('../api/client.js'));
// Not awaited at the top level, because the other modules import this one.
void Promise.race([starting, new Promise((resolve) => setTimeout(resolve, waitMs))])
  .then(() => prepared)
  .then(() => import('../main.js'));
