// The first script of the page, and the only one that the page names: small, so that it runs while the rest is still on its
// way. It signs in and asks what the view at this address asks first. Running the rest keeps a browser busy for long enough
// that an answer would lie there unread: it begins when the questions are on their way, or signing in takes its time.
import { askAhead } from '../api/ahead.js';
import { applyTheme } from '../frame/theme.js';
import { startSession } from '../session/session.js';
import { overviewAt } from './first-place.js';

const waitMs = 150;

applyTheme();
const starting = startSession();
askAhead(overviewAt(location.pathname));
// Not awaited at the top: the rest imports this very module.
void Promise.race([starting, new Promise((resolve) => setTimeout(resolve, waitMs))]).then(() => import('../main.js'));
