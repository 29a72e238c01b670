// The files in which the command line stores logins: one for each gateway, so that logins to two at once keep both. Only
// their owner can read them.
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { jsonIn } from '../input/json.js';
import { UsageError } from './command.js';

const login = z.object({ accessToken: z.string(), refreshToken: z.string(), expiresAt: z.iso.datetime() });

/** The tokens of a login. */
export type Login = z.output<typeof login>;

/** The path of the login to a gateway, by the XDG Base Directory specification. */
export function loginFileOf(environment: Record<string, string | undefined>, server: string): string {
  const configured = environment['XDG_CONFIG_HOME'];
  const folder = configured === undefined || configured === '' ? join(homedir(), '.config') : configured;
  return join(folder, 'control-plane', 'logins', `${encodeURIComponent(server)}.json`);
}

/** Stores a login. The file is replaced atomically. */
export function writeLogin(file: string, login: Login): void {
  const folder = dirname(file);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const fresh = join(folder, `.login-${randomUUID()}`);
  try {
    writeFileSync(fresh, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    // The umask can have removed bits from the mode.
    chmodSync(fresh, 0o600);
    renameSync(fresh, file);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}

export function removeLogin(file: string): void {
  rmSync(file, { force: true });
}

/** @throws {UsageError} if other users can read the file, or if it is not valid. */
export function readLogin(file: string): Login | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  // Windows has no such mode bits.
  if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0) {
    throw new UsageError(
      `${file}: other users of this machine can read it. Run "chmod 600", or delete it and log in again`,
    );
  }
  const parsed = login.safeParse(jsonIn(text));
  if (!parsed.success) throw new UsageError(`${file}: is not a valid login file. Delete it and log in again`);
  return parsed.data;
}
