// Where the command line keeps what its user let it do, by the address of the gateway: a file that nobody else reads.
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { UsageError } from './command.js';

const login = z.object({ accessToken: z.string(), refreshToken: z.string(), expiresAt: z.iso.datetime() });

const content = z.object({ logins: z.record(z.string(), login) });

/** What a gateway gave when its user logged in. */
export type Login = z.output<typeof login>;

/** Below the folder for settings of the XDG Base Directory specification. */
export function loginFileOf(environment: Record<string, string | undefined>): string {
  const configured = environment['XDG_CONFIG_HOME'];
  const folder = configured === undefined || configured === '' ? join(homedir(), '.config') : configured;
  return join(folder, 'control-plane', 'logins.json');
}

/** @throws {UsageError} for a file that others may read, or that is none of ours. */
export function readLogin(file: string, server: string): Login | undefined {
  return readAll(file)[server];
}

/** Keeps a login, or forgets it. Whoever reads the file meanwhile finds all of the old or all of the new. */
export function writeLogin(file: string, server: string, kept: Login | undefined): void {
  const { [server]: _before, ...others } = readAll(file);
  const logins = kept === undefined ? others : { ...others, [server]: kept };
  const folder = dirname(file);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const fresh = join(folder, `.logins-${randomUUID()}`);
  try {
    writeFileSync(fresh, `${JSON.stringify({ logins }, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    // A umask takes bits away, and gives none.
    chmodSync(fresh, 0o600);
    renameSync(fresh, file);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}

function readAll(file: string): Record<string, Login> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw error;
  }
  // Windows has no such bits.
  if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0) {
    throw new UsageError(`${file}: others on this machine may read it. "chmod 600" it, or remove it and log in again`);
  }
  const parsed = content.safeParse(parsedJson(text));
  if (!parsed.success) throw new UsageError(`${file}: is not what "login" writes. Remove it, and log in again`);
  return parsed.data.logins;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
