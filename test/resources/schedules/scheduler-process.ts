// A separate process that runs schedules by the simulated clock, repeatedly until it is stopped, or once, and exits
// abruptly after a number of started statements. Run by processes.test.ts.
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
