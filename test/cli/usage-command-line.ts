// The usage commands as tests run them, with files in a folder of the test's own.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { Admin } from '../../src/cli/command.js';
import type { CommandResult } from '../../src/cli/print.js';
import { runCommandLine } from '../../src/cli/run.js';
import { tokenSettings } from '../../src/server/create-services.js';
import type { TestApp } from '../harness.js';

export interface UsageCommandLine {
  folder: string;
  run: (line: string, more?: Partial<Admin>) => Promise<CommandResult>;
  /** Imports a text as a file of that name. */
  importText: (name: string, content: string) => Promise<CommandResult>;
}

/** For all tests of a file. @param folders created in the folder */
export function useUsageCommandLine(running: { readonly app: TestApp }, folders: string[]): UsageCommandLine {
  const folder = mkdtempSync(join(tmpdir(), 'usage-import-'));
  for (const name of folders) mkdirSync(join(folder, name));
  afterAll(() => rmSync(folder, { recursive: true }));
  const run = async (line: string, more: Partial<Admin> = {}) => {
    const { services, config } = running.app;
    return runCommandLine({ ...services, tokens: tokenSettings(config), folder, ...more }, line.split(' '));
  };
  return {
    folder,
    run,
    importText: (name, content) => {
      writeFileSync(join(folder, name), content);
      return run(`usage import ${name}`);
    },
  };
}
