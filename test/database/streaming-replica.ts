// A PostgreSQL server for a test and its streaming replica, created with the server's own programs.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { onServer } from './on-server.js';

export interface StreamingPair {
  /** Addresses of the two, of the database `postgres`. */
  primary: string;
  replica: string;
  stop: () => Promise<void>;
}

/** The folder of the server's programs; undefined if they are missing, or no user can run them. */
export const serverPrograms = findPrograms();

function findPrograms(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((one, other) => Number(other) - Number(one)) : [];
  const { status, stdout } = spawnSync('pg_config', ['--bindir'], { encoding: 'utf8' });
  const folders = [
    ...(status === 0 ? [stdout.trim()] : []),
    ...versions.map((version) => join(debian, version, 'bin')),
  ];
  const found = folders.find((folder) =>
    ['initdb', 'postgres', 'pg_basebackup'].every((program) => existsSync(join(folder, program))),
  );
  return found === undefined || owner() === undefined ? undefined : found;
}

/** A server does not run as root. */
function owner(): { uid: number; gid: number } | undefined {
  const own = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  if (own.uid !== 0) return own;
  const ids = ['-u', '-g'].map((flag) => spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  const [uid = 0, gid = 0] = ids.map(({ status, stdout }) => (status === 0 ? Number(stdout) : 0));
  return uid === 0 ? undefined : { uid, gid };
}

export async function startStreamingPair(): Promise<StreamingPair> {
  const folder = mkdtempSync(join(tmpdir(), 'control-plane-replica-'));
  const { uid, gid } = owner() ?? { uid: 0, gid: 0 };
  chownSync(folder, uid, gid);
  const started: ChildProcess[] = [];
  const run = (program: string, ...given: string[]) =>
    execFileSync(join(serverPrograms ?? '', program), given, { uid, gid, cwd: folder, stdio: 'pipe' });
  const start = async (data: string, port: number) => {
    appendFileSync(join(data, 'postgresql.auto.conf'), `port = ${port}\n`);
    const server = spawn(join(serverPrograms ?? '', 'postgres'), ['-D', data], {
      uid,
      gid,
      cwd: folder,
      stdio: 'ignore',
    });
    started.push(server);
    const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
    await vi.waitFor(() => onServer(url, 'SELECT 1'), { timeout: 60_000 });
    return url;
  };
  const stop = async () => {
    for (const server of started.toReversed()) {
      if (server.exitCode !== null) continue;
      server.kill('SIGINT');
      await once(server, 'exit');
    }
    rmSync(folder, { recursive: true });
  };
  try {
    const [ofPrimary, ofReplica] = [join(folder, 'primary'), join(folder, 'replica')];
    run('initdb', '-D', ofPrimary, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--no-sync');
    appendFileSync(
      join(ofPrimary, 'postgresql.conf'),
      `listen_addresses = '127.0.0.1'\nunix_socket_directories = ''\nfsync = off\nshared_buffers = 32MB\n`,
    );
    const primary = await start(ofPrimary, await freePort());
    run('pg_basebackup', '-d', primary, '-D', ofReplica, '-R', '-X', 'stream', '-c', 'fast', '--no-sync');
    const replica = await start(ofReplica, await freePort());
    return { primary, replica, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
