import { fileURLToPath } from 'node:url';

/** For a process whose databases live for seconds: optimizing PostgreSQL's code takes longer than it saves. */
export const briefDatabaseFlags = ['--wasm-tiering-budget=40000000'];

/**
 * The arguments of `node` for a program of the tests in a separate process, as it was compiled at the start: compiling
 * it again at each start takes longer than most of them run.
 *
 * @param name its path in test/, without an extension.
 */
export function programWords(name: string): string[] {
  return [...briefDatabaseFlags, fileURLToPath(new URL(`../dist/test-programs/test/${name}.js`, import.meta.url))];
}
