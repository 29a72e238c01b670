/** For a process whose databases live for seconds: compiling PostgreSQL for speed takes longer than it saves. */
export const briefDatabaseFlags = ['--wasm-tiering-budget=40000000'];

/** How `node` runs a program of the tests, which is TypeScript, as a process of its own. */
export const programFlags = [...briefDatabaseFlags, '--import', 'tsx'];
