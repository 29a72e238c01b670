// A production install holds things that nothing uses: Prisma's query compilers for other databases than PostgreSQL, and
// the TypeScript compiler, which is a peer of its client. Together they are nearly half of it. And of OpenTelemetry's
// packages what browsers, bundlers and compilers take: three quarters of them.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const otherBuild = /^(?:esm|esnext)$/;
const otherFile = /\.(?:d\.[cm]?ts|map)$/;
const otherDatabase = /\.(mysql|sqlite|sqlserver|cockroachdb)\./;

/** @param packages the folder node_modules */
export function trimPackages(packages) {
  const runtime = join(packages, '@prisma/client/runtime');
  const telemetry = join(packages, '@opentelemetry');
  for (const file of readdirSync(runtime)) {
    if (otherDatabase.test(file)) rmSync(join(runtime, file));
  }
  for (const entry of readdirSync(telemetry, { recursive: true, withFileTypes: true })) {
    const isForOthers = entry.isDirectory() ? otherBuild.test(entry.name) : otherFile.test(entry.name);
    if (isForOthers) rmSync(join(entry.parentPath, entry.name), { recursive: true, force: true });
  }
  for (const name of ['typescript', '@typescript']) rmSync(join(packages, name), { recursive: true, force: true });
}
