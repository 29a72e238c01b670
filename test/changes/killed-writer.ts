// Records changes in a separate process, with statements before and after, and exits abruptly after a number of started
// statements. It prints committed changes. Run by killed-writers.test.ts.
import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { authorizeWorkspace } from '../../src/auth/authorize.js';
import { recordChanges } from '../../src/changes/record-changes.js';
import { openMortalProcess } from '../mortal-process.js';

const [key = '', workspace = '', statements = '', mark = ''] = process.argv.slice(2);
const { ctx, dieAfter } = await openMortalProcess(key);
const event = { type: 'update', status: 'UPDATED', message: '' };
dieAfter(Number(statements));
for (let index = 0; ; index++) {
  const names = Array.from({ length: 1 + (index % 3) }, (_, each) => `${mark} ${index} ${each}`);
  await authorizeWorkspace(ctx, 'admin', workspace).transaction(async (tx) => {
    for (let before = 0; before < index % 4; before++) await (await tx.db.$prisma()).account.count();
    const changes = names.map(
      (name) => ({ kind: 'AGENT', verb: 'updated', resourceId: randomUUID(), name, event }) as const,
    );
    await recordChanges(tx, changes);
    for (let after = 0; after < index % 3; after++) await (await tx.db.$prisma()).account.count();
  });
  // It may be killed at any time, so it prints before it continues.
  writeSync(1, names.map((name) => `${name}\n`).join(''));
}
