import type { Writable } from 'node:stream';
import { SingleBar } from 'cli-progress';
import { z } from 'zod';
import { resealSecrets } from './operator/reseal-secrets.js';
import { defineCommand } from './command.js';
import type { Command } from './command.js';

/** So many rows that do not open are told one by one. */
const problemsMax = 20;

export const secretCommands: Command[] = [
  defineCommand({
    name: 'secrets reseal',
    summary:
      'Seal all that is kept sealed under the first of SERVICE_SECRETS, while gateways run, to retire the others.',
    input: z.object({}),
    run: async ({ db, seal, terminal, interrupted, log }, _input, print) => {
      const bar = progressBar(terminal);
      let saidPercent = 0;
      const outcome = await resealSecrets(db, seal, {
        interrupted,
        onProgress: (looked, ofAll, resealed) => {
          bar?.setTotal(Math.max(ofAll, looked));
          bar?.update(looked, { resealed });
          const percent = ofAll === 0 ? 100 : Math.min(100, Math.floor((looked / ofAll) * 100));
          if (bar !== undefined || percent < saidPercent + 10) return;
          saidPercent = percent;
          log?.info({ looked, ofAll, resealed }, `secrets reseal: ${percent} %`);
        },
      }).finally(() => bar?.stop());
      const { resealed, unopened, isDone } = outcome;
      const told = [...unopened].slice(0, problemsMax);
      for (const row of told)
        print.problem(`${row}: none of SERVICE_SECRETS opens what is sealed for it. It stays as it is.`);
      if (unopened.size > told.length) print.problem(`${unopened.size - told.length} more rows do not open.`);
      if (interrupted?.aborted === true) {
        print.problem('Interrupted. Run it again to go on: what is sealed again is known.');
      } else if (!isDone) {
        print.problem(
          'A gateway still seals with another secret. Restart all of them with the new one in front, and run it again.',
        );
      }
      const isReady = isDone && unopened.size === 0;
      const end = isReady ? ' All is under the first of SERVICE_SECRETS now.' : '';
      print.done(`Sealed ${resealed} values again.${end}`, {
        resealed: String(resealed),
        unopened: String(unopened.size),
      });
    },
  }),
];

function progressBar(terminal: Writable | undefined): SingleBar | undefined {
  if (terminal === undefined) return undefined;
  const format = 'Looking {bar} {percentage}%  {resealed} sealed again, {eta_formatted} to go';
  const bar = new SingleBar({ stream: terminal, format });
  bar.start(1, 0, { resealed: 0 });
  return bar;
}
