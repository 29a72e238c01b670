#!/usr/bin/env node
// The program of the package. `serve` starts the gateway, `demo` starts it with sample data; the command line runs all
// other commands, and --help. Each part is imported when it is needed, because imports take longer than most commands.
const [command, ...args] = process.argv.slice(2);

if (command === 'serve' && args.length === 0) {
  await import('./main.js');
} else if (command === 'demo') {
  // The demo reads the arguments that follow its name.
  process.argv.splice(2, 1);
  await import('./demo/main.js');
} else {
  await import('./cli/main.js');
}
