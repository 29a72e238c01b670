// The first script of the page, and the only one that the page names: small, so that it runs while the rest is still on its
// way. It signs in and asks what the view at this address asks first. Libraries run meanwhile, one by one: each keeps the
// browser busy for a moment, and between them it reads what has come. The views begin when the questions are on their way, or
// signing in takes its time.
import { askAhead } from '../api/ahead.js';
import { applyTheme } from '../frame/theme.js';
import { startSession } from '../session/session.js';
import { overviewAt } from './first-place.js';

const waitMs = 150;

applyTheme();
const starting = startSession();
askAhead(overviewAt(location.pathname));
const prepared = import('./rendering.js').then(() => import('../api/client.js'));
// Not awaited at the top: the rest imports this very module.
void Promise.race([starting, new Promise((resolve) => setTimeout(resolve, waitMs))])
  .then(() => prepared)
  .then(() => import('../main.js'));
