// The peers are packages of bench/ alone, which a checkout of the service does not install. This is all that is used of
// them, so that bench/ is type-checked everywhere.
declare module '@duckdb/node-api' {
  interface Statement {
    run(): Promise<{ getRows(): Promise<unknown[][]> }>;
    runAndReadAll(): Promise<{ getRows(): unknown[][] }>;
  }
  interface Connection {
    run(sql: string): Promise<unknown>;
    prepare(sql: string): Promise<Statement>;
    closeSync(): void;
  }
  export const DuckDBInstance: {
    create(path: string): Promise<{ connect(): Promise<Connection>; closeSync(): void }>;
  };
}

declare module 'chdb' {
  export class Session {
    constructor(folder: string);
    query(sql: string, format?: string): string;
    close(): void;
  }
}

declare module 'pg-copy-streams' {
  import type { Readable, Writable } from 'node:stream';
  import type { Submittable } from 'pg';
  export function from(sql: string): Writable & Submittable;
  export function to(sql: string): Readable & Submittable;
}

declare module 'mercurius' {
  const plugin: (app: unknown, options: unknown) => Promise<void>;
  export default plugin;
}

declare module '@fastify/rate-limit' {
  const plugin: (app: unknown, options: unknown) => Promise<void>;
  export default plugin;
}

declare module 'graphql-query-complexity' {
  import type { ValidationRule } from 'graphql';
  export function simpleEstimator(options: { defaultComplexity: number }): unknown;
  export function createComplexityRule(options: { maximumComplexity: number; estimators: unknown[] }): ValidationRule;
}

declare module 'fastify' {
  interface App {
    register<Options>(plugin: (app: unknown, options: Options) => Promise<void>, options: Options): Promise<void>;
    listen(address: { port: number; host: string }): Promise<string>;
  }
  export default function fastify(): App;
}

declare module 'postgraphile' {
  import type { Server } from 'node:http';
  interface Grafserv {
    addTo(server: Server): Promise<void>;
  }
  export function postgraphile(preset: object): { createServ(grafserv: unknown): Grafserv };
}

declare module 'postgraphile/adaptors/pg' {
  export function makePgService(settings: object): object;
}

declare module 'postgraphile/grafserv/node' {
  export const grafserv: unknown;
}

declare module 'postgraphile/presets/amber' {
  export const PostGraphileAmberPreset: object;
}

declare module 'postgraphile/utils' {
  export function jsonPgSmartTags(tags: object): object;
}
