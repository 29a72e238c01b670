// A process of its own that runs schedules by the simulated clock, over and over, until it is told to stop; or once, and
// dies without a word when so many statements of that have begun. Run by processes.test.ts.
import { setTimeout as pause } from 'node:timers/promises';
import { runSchedules } from '../../../src/resources/schedules/run-schedules.js';
import { openMortalProcess } from '../../mortal-process.js';
import { simulatedClock } from './simulated-clock.js';

const [key = '', statements = ''] = process.argv.slice(2);
const { services, database, dieAfter } = await openMortalProcess(key);
const stopping = new AbortController();
process.once('SIGTERM', () => stopping.abort());
process.stdout.write('ready\n');
if (statements === '') {
  while (!stopping.signal.aborted) {
    await runSchedules(services, simulatedClock);
    await pause(5);
  }
} else {
  dieAfter(Number(statements));
  await runSchedules(services, simulatedClock);
}
await database.close();
