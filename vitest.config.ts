import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { briefDatabaseFlags } from './test/program-flags.js';

export default defineConfig({
  // Node and Vite would each take another build of graphql, and two of them do not know each other's types.
  resolve: { alias: [{ find: /^graphql$/, replacement: fileURLToPath(import.meta.resolve('graphql')) }] },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    // Each file opens a database of its own; more of them at once than cores only makes all of them wait.
    maxWorkers: 2,
    // Loading the modules takes longer than most files take: the files of a worker share them.
    isolate: false,
    execArgv: briefDatabaseFlags,
    // For what hangs. A machine that does other work as well may need many times as long for a test as an idle one.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // What is waited for comes at once where nothing else runs, and late on a busy machine.
    expect: { poll: { timeout: 20_000 } },
  },
});
