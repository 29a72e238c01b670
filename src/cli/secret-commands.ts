import { z } from 'zod';
import { reencryptSecrets } from './operator/reencrypt-secrets.js';
import { defineCommand } from './command.js';
import type { Command } from './command.js';
import { counted } from './print.js';
import { openProgressBar } from './progress-bar.js';

/** Maximum number of rows that are listed one by one. */
const problemsMax = 20;

export const secretCommands: Command[] = [
  defineCommand({
    name: 'secrets reencrypt',
    summary:
      'Re-encrypt stored secrets with the first of SERVICE_SECRETS, so that the others can be removed. Gateways may be running.',
    input: z.object({}),
    run: async ({ db, encryption, terminal, interrupted, log }, _input, print) => {
      const format = 'Checking {bar} {percentage}%  {reencrypted} re-encrypted, {eta_formatted} left';
      const bar = openProgressBar(terminal, format, 1, { reencrypted: 0 });
      let saidPercent = 0;
      const outcome = await reencryptSecrets(db, encryption, {
        interrupted,
        onProgress: (looked, ofAll, reencrypted) => {
          bar.setTotal(Math.max(ofAll, looked));
          bar.update(looked, { reencrypted });
          const percent = ofAll === 0 ? 100 : Math.min(100, Math.floor((looked / ofAll) * 100));
          if (terminal !== undefined || percent < saidPercent + 10) return;
          saidPercent = percent;
          log?.info({ looked, ofAll, reencrypted }, `secrets reencrypt: ${percent}%`);
        },
      }).finally(() => bar.stop());
      const { reencrypted, unopened, isDone } = outcome;
      const listed = [...unopened].slice(0, problemsMax);
      for (const row of listed) print.problem(`${row}: none of SERVICE_SECRETS decrypts it. It was not changed.`);
      if (unopened.size > listed.length)
        print.problem(`${counted(unopened.size - listed.length, 'more row')} cannot be decrypted.`);
      if (interrupted?.aborted === true) {
        print.problem('Interrupted. Run the command again to continue.');
      } else if (!isDone) {
        print.problem(
          'A gateway still encrypts with another secret. Restart every gateway with the new secret first in the list, and run the command again.',
        );
      }
      const isReady = isDone && unopened.size === 0;
      const end = isReady ? ' Everything is encrypted with the first of SERVICE_SECRETS.' : '';
      print.done(`Re-encrypted ${reencrypted} values.${end}`, {
        reencrypted: String(reencrypted),
        unopened: String(unopened.size),
      });
    },
  }),
];
