// `npm run package` writes the package of this version: workload-control-plane-VERSION.tgz, in the folder of the project
// or in the one that is given. It holds the compiled program, the console, the migrations and a database that has them,
// schema.graphql, the OpenAPI documents, the documentation with the files for deployment and monitoring, the examples, and the
// locked versions of all dependencies but the one with a binary for each platform. Two clones give the same package.
//
//   node build/package.js [FOLDER]
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile } from './compile.js';

const root = fileURLToPath(new URL('..', import.meta.url));

/** npm installs it for the platform of the user. */
const perPlatform = ['@node-rs/argon2'];

/** An empty cluster, which a clone takes. The package has a migrated one instead. */
const emptyCluster = '@electric-sql/pglite-prepopulatedfs';

const contents = ['dist', 'openapi', 'prisma/migrations', 'schema.graphql', 'docs', 'examples', 'README.md', 'LICENSE'];
const notNeeded = /dist\/(?:test-programs|\.compiled|console\/\.built)|\.map$/;

const folder = resolve(process.argv[2] ?? root);
const stage = mkdtempSync(join(tmpdir(), 'package-'));
try {
  // What earlier builds have left there is of other sources.
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  if ((await compile({ withConsole: true })) !== 0) throw new Error('The program does not compile.');
  run(process.execPath, ['dist/server/write-openapi.js', join(stage, 'openapi')], root);
  for (const name of ['package.json', 'package-lock.json']) cpSync(join(root, name), join(stage, name));
  // Prisma's command line and the TypeScript compiler are optional peers of its client.
  const omitted = ['--omit=dev', '--omit=optional'];
  run('npm', ['ci', ...omitted, '--ignore-scripts', '--no-audit', '--no-fund'], stage);
  rmSync(join(stage, 'package-lock.json'));
  for (const name of contents) {
    if (name === 'openapi') continue;
    cpSync(join(root, name), join(stage, name), { recursive: true, filter: (path) => !notNeeded.test(path) });
  }
  const cluster = join(stage, 'dist/database/migrated-cluster.tar.gz');
  run(process.execPath, ['dist/database/write-migrated-cluster.js', cluster], root);
  writeFileSync(join(stage, 'package.json'), JSON.stringify(packageFile(), null, 2));
  run('npm', ['pack', '--pack-destination', folder], stage);
} finally {
  rmSync(stage, { recursive: true });
}

/** Without the fields that only a clone needs. */
function packageFile() {
  const { name, version, description, license, type, engines, bin, dependencies } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  delete dependencies[emptyCluster];
  const bundleDependencies = Object.keys(dependencies).filter((each) => !perPlatform.includes(each));
  return { name, version, description, license, type, engines, bin, files: contents, dependencies, bundleDependencies };
}

function run(command, words, cwd) {
  const { status } = spawnSync(command, words, { cwd, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error(`${command} ${words.join(' ')} failed.`);
}
