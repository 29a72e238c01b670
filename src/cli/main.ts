#!/usr/bin/env node
// The command line: `control-plane --help`. Commands that are clients of a gateway need no database. The others are imported
// on demand, because that takes longer than most commands.
import { setTimeout } from 'node:timers/promises';
import { version } from '../server/version.js';
import { runIfForGateway } from './gateway-command-line.js';
import { withHelpOption } from './help-parts.js';
import type { CommandResult } from './print.js';
import { interruptible } from './signals.js';
import { isClosedPipe } from './write-out.js';

// A reader such as "head" may close its end early. The command continues. With a full disk, it ends.
for (const output of [process.stdout, process.stderr]) {
  output.on('error', (error) => {
    if (isClosedPipe(error)) return;
    process.stderr.write(`The output cannot be written: ${error.message}\n`);
    process.exit(1);
  });
}
const result = await execute(withHelpOption(process.argv.slice(2)));
process.stderr.write(result.stderr);
process.stdout.write(result.stdout);
process.exitCode = result.exitCode;

async function execute(argv: string[]): Promise<CommandResult> {
  if (argv.includes('--version')) return { stdout: `${version}\n`, stderr: '', exitCode: 0 };
  const tell = (line: string) => void process.stderr.write(`${line}\n`);
  const result = await runIfForGateway(argv, {
    environment: process.env,
    folder: process.cwd(),
    standardInput: process.stdin,
    tell,
    pause: async (ms) => void (await setTimeout(ms)),
    print: (text) => void process.stdout.write(text),
    ...(process.stderr.isTTY ? { terminal: process.stderr } : {}),
    interruptible,
  });
  if (result !== undefined) return result;
  const { runOnDatabase } = await import('./database-command-line.js');
  return runOnDatabase(argv, tell);
}
