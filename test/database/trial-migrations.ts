import type { Migration } from '../../src/database/migrate.js';

/** Two migrations after all real ones, of which the second fails unless the first was applied exactly once. */
export const trialMigrations: Migration[] = [
  { name: '99990101000000_first', sql: 'CREATE TABLE "trial" ("n" INT); INSERT INTO "trial" VALUES (1);' },
  { name: '99990102000000_second', sql: 'CREATE UNIQUE INDEX "trial_n" ON "trial" ("n");' },
];
