// `npm run release` checks this version and writes its files to release/: the package, its software bill of materials
// (CycloneDX) and their checksums. It changes nothing else: docs/releasing.md says how to tag and publish.
import { createHash } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'release');
const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

for (const problem of problems()) {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}
if (process.exitCode === undefined) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  run(process.execPath, ['build/package.js', folder]);
  const bill = run('npm', [
    'sbom',
    '--omit=dev',
    '--package-lock-only',
    '--sbom-format=cyclonedx',
    '--sbom-type=application',
  ]);
  writeFileSync(join(folder, `${name}-${version}.cdx.json`), bill);
  const sums = readdirSync(folder).map((file) => {
    const digest = createHash('sha256').update(readFileSync(join(folder, file)));
    return `${digest.digest('hex')}  ${file}\n`;
  });
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
  process.stdout.write(sums.join(''));
}

/** What has to be true before a release, apart from the tests. */
function problems() {
  const isIn = (file, text) => readFileSync(join(root, file), 'utf8').includes(text);
  const requirements = [
    [run('git', ['status', '--porcelain']) === '', 'Commit all changes first.'],
    [
      run('git', ['tag', '--list', `v${version}`]) === '',
      `The tag v${version} exists: increment the version in package.json.`,
    ],
    [
      /^## \S+, \d{4}-\d\d-\d\d$/m.exec(changelog())?.[0].startsWith(`## ${version},`),
      `docs/CHANGELOG.md has no heading "## ${version}, YYYY-MM-DD" at its top.`,
    ],
    [
      isIn('package-lock.json', `"version": "${version}"`),
      `package-lock.json is not of version ${version}: run npm install.`,
    ],
    [isIn('Dockerfile', `${name}-${version}.tgz`), `Dockerfile does not install version ${version}.`],
    [
      isIn('docs/deploy/kubernetes/kustomization.yaml', `newTag: ${version} `),
      `kustomization.yaml does not name version ${version}.`,
    ],
    [
      readdirSync(join(root, 'test/database/releases')).includes(`${version}.sql.gz`),
      `test/database/releases has no recording of ${version}.`,
    ],
    [
      existsSync(join(root, `test/api/graphql/released/${version}.graphql`)),
      `test/api/graphql/released has no schema of ${version}.`,
    ],
  ];
  return requirements.flatMap(([isMet, problem]) => (isMet ? [] : [problem]));
}

function changelog() {
  return readFileSync(join(root, 'docs/CHANGELOG.md'), 'utf8');
}

function run(command, words) {
  const { status, stdout } = spawnSync(command, words, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) throw new Error(`${command} ${words.join(' ')} failed.`);
  return stdout;
}
