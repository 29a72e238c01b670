import { fileURLToPath } from 'node:url';

/** For a process whose databases live for seconds: compiling PostgreSQL for speed takes longer than it saves. */
export const briefDatabaseFlags = ['--wasm-tiering-budget=40000000'];

/**
 * What `node` is given to run a program of the tests as a process of its own: as it was compiled when they began, for
 * compiling it with all that it uses again at each start takes longer than most of them run.
 *
 * @param name its path in test/, without an extension.
 */
export function programWords(name: string): string[] {
  return [...briefDatabaseFlags, fileURLToPath(new URL(`../dist/test-programs/test/${name}.js`, import.meta.url))];
}
