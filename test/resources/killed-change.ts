// Makes one change in a separate process, which exits abruptly after a number of started statements. It prints the
// state at its start, after a retry of the previous change, and at its end. Run by killed-change.test.ts.
import type { ServiceContext } from '../../src/http/open-context.js';
import { changeOnce } from '../../src/changes/idempotent-change.js';
import { textFromResponse } from '../../src/store/write/stored-response.js';
import { writableAgents } from '../../src/resources/agents/agent-changes.js';
import { registerImageTag } from '../../src/resources/images/image-tag-changes.js';
import { acceptShare, shareImage } from '../../src/resources/images/image-share-changes.js';
import { runJob } from '../../src/resources/jobs/execution-changes.js';
import { writableJobs } from '../../src/resources/jobs/job-changes.js';
import { createSpecified, deleteSpecified } from '../../src/resources/specified-changes.js';
import { openMortalProcess } from '../mortal-process.js';
import { wholeState } from './whole-state.js';

interface Change {
  prepare?: (ctx: ServiceContext, name: string) => Promise<void>;
  act: (ctx: ServiceContext, name: string, shareId: string) => Promise<unknown>;
}

const workspace = 'main';

const changes: Record<string, Change> = {
  createAgent: {
    act: (ctx, name) => createSpecified(ctx, writableAgents, { workspace, metadata: { name } }),
  },
  deleteJob: {
    prepare: async (ctx, name) => {
      await createSpecified(ctx, writableJobs, { workspace, metadata: { name } });
      for (let count = 0; count < 2; count++) await runJob(ctx, { workspace, name, request: {} });
    },
    act: (ctx, name) => deleteSpecified(ctx, writableJobs, { workspace, name }),
  },
  acceptImageShare: {
    prepare: async (ctx, imageName) => {
      const image = { workspace: 'side', resourceType: 'agents' } as const;
      for (const name of ['v1', 'v2']) await registerImageTag(ctx, { ...image, imageName, tag: { name, size: 5 } });
      await shareImage(ctx, { ...image, name: imageName, targetWorkspace: workspace });
    },
    act: (ctx, _, id) => acceptShare(ctx, { id }),
  },
};

const [name = '', key = '', statements = '', before = '', mark = ''] = process.argv.slice(2);
const { ctx, database, dieAfter } = await openMortalProcess(key);
const change = changes[name];
async function act(mark: string, statements: number): Promise<void> {
  const share = await database.db.imageShare.findFirst({ where: { name: mark } });
  dieAfter(statements);
  await changeOnce({ ...ctx, idempotencyKey: mark }, { content: [name], part: '' }, async (within) => {
    if (change === undefined) throw new Error(`there is no change ${name}`);
    return textFromResponse(await change.act(within, mark, share?.id ?? ''));
  });
  dieAfter(Number.POSITIVE_INFINITY);
}

async function tell(when: 'found' | 'retried' | 'prepared' | 'done'): Promise<void> {
  process.stdout.write(`${JSON.stringify({ when, state: await wholeState(database.db) })}\n`);
}

await tell('found');
if (before !== '') await act(before, Number.POSITIVE_INFINITY);
await tell('retried');
await change?.prepare?.(ctx, mark);
await tell('prepared');
await act(mark, Number(statements));
await tell('done');
await database.close();
