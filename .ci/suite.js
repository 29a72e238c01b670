// Runs one of the two test commands, and each file that failed once more by itself: on a busy machine a test can fail
// because of time alone. The end of the output names what failed, also if it passed the second time. More than two tests
// that pass only the second time fail the run.
// Usage: node .ci/suite.js COUNTS_FILE FAILURES_FILE test|test:all [options of vitest]. Writes "PASSED FAILED" to the
// first, and adds what failed to the second.
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

const [countsPath, failuresPath, command, ...given] = process.argv.slice(2);
const mostToRepeat = 12;
const passedSecondMax = 2;

/** The results of one run by the path of the test file, or none where the run itself has failed. */
function run(options) {
  const folder = mkdtempSync(join(tmpdir(), 'suite-'));
  const report = join(folder, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const { status } = spawnSync('npm', ['run', command, '--', ...reporters, ...options], { stdio: 'inherit' });
  const { testResults = [] } = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : {};
  rmSync(folder, { recursive: true });
  return { status, files: new Map(testResults.map((file) => [relative(process.cwd(), file.name), file])) };
}

const inState = (file, state) => file.assertionResults.filter(({ status }) => status === state);

/** A file whose hooks or imports failed counts as one failure more, for its tests were not run. */
const failuresOf = (file) => {
  const tests = inState(file, 'failed').map(
    ({ fullName, failureMessages }) => `${fullName}\n${failureMessages.join('\n')}`,
  );
  return file.status === 'failed' && tests.length === 0 ? [`could not be run\n${file.message}`] : tests;
};

function tell(title, files) {
  const failures = files.flatMap(([name, file]) => failuresOf(file).map((failure) => `${name}: ${failure}`));
  if (failures.length > 0)
    appendFileSync(failuresPath, `== ${title}\n${failures.map((failure) => failure.slice(0, 1_500)).join('\n')}\n`);
}

let last = run(given);
let passedSecond = 0;
const results = last.files;
const failed = [...results].filter(([, file]) => failuresOf(file).length > 0);
if (failed.length > 0 && failed.length <= mostToRepeat) {
  last = run(['--maxWorkers=1', ...failed.map(([name]) => name)]);
  for (const [name, file] of last.files) results.set(name, file);
  const repeated = failed.filter(([name]) => failuresOf(results.get(name)).length === 0);
  passedSecond = repeated.reduce((sum, [, file]) => sum + failuresOf(file).length, 0);
  tell(`passed only the second time: ${passedSecond}, of at most ${passedSecondMax}`, repeated);
}
const files = [...results];
tell(
  'failed',
  files.filter(([, file]) => failuresOf(file).length > 0),
);
const passed = files.reduce((sum, [, file]) => sum + inState(file, 'passed').length, 0);
const failures = files.reduce((sum, [, file]) => sum + failuresOf(file).length, 0);
// A run that counted nothing, or that failed beside its tests, has failed.
const beside = passed === 0 || (last.status !== 0 && failures === 0) ? 1 : 0;
if (beside > 0) {
  const options = [command, ...given].join(' ');
  appendFileSync(failuresPath, `== the run itself failed, with ${passed} tests passed: ${options}\n`);
}
const unreliable = passedSecond > passedSecondMax ? passedSecond : 0;
writeFileSync(countsPath, `${passed - unreliable} ${failures + beside + unreliable}\n`);
