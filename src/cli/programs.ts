// The commands that are no part of the table of commands: they start a gateway, work on a database that no command can
// open yet, or need none.
import { migrateSummary, migrateUsage } from './migrate.js';
import { restoreSummary, restoreUsage } from './restore.js';

/** The shells that `completion` prints a script for. */
export const shells = ['bash', 'zsh', 'fish'] as const;

export interface Program {
  name: string;
  usage: string;
  summary: string;
  /** Whether it starts a gateway: src/control-plane.ts. */
  startsGateway: boolean;
}

export const programs: readonly Program[] = [
  {
    name: 'serve',
    usage: 'serve',
    summary: 'Start the gateway, with the settings in the environment.',
    startsGateway: true,
  },
  {
    name: 'demo',
    usage: 'demo [--agents NUMBER]',
    summary: 'Start the gateway with sample data, by default on an embedded database.',
    startsGateway: true,
  },
  { name: 'restore', usage: restoreUsage, summary: restoreSummary, startsGateway: false },
  { name: 'migrate', usage: migrateUsage, summary: migrateSummary, startsGateway: false },
  {
    name: 'completion',
    usage: `completion ${shells.join('|')}`,
    summary: 'Print a script with which a shell completes commands, options and kinds.',
    startsGateway: false,
  },
];
