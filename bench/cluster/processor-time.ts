// Processor time of servers of PostgreSQL, of which each connection is a process.
import { readFileSync, readdirSync } from 'node:fs';
import { withClient } from '../metrics/databases.js';
import { processorMs } from '../processes.js';

const ticksPerSecond = 100;

/** The first process of the server behind an address, which has to be on this machine. */
export async function firstProcessOf(url: string): Promise<number> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    return Number(fieldsOf(rows[0]?.pid ?? 0)[1]);
  });
}

/** What a server has used so far, in milliseconds: its first process, those that it has, and those that have ended. */
export function serverMs(first: number): number {
  const [userOfEnded, systemOfEnded] = fieldsOf(first).slice(13, 15).map(Number);
  const ended = (((userOfEnded ?? 0) + (systemOfEnded ?? 0)) * 1_000) / ticksPerSecond;
  return ended + [first, ...childrenOf(first)].reduce((sum, pid) => sum + msOf(pid), 0);
}

function childrenOf(first: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && parentOf(Number(name)) === first)
    .map(Number);
}

/** One that has just ended is counted with those that have. */
function msOf(pid: number): number {
  try {
    return processorMs(pid);
  } catch {
    return 0;
  }
}

function parentOf(pid: number): number {
  try {
    return Number(fieldsOf(pid)[1]);
  } catch {
    return 0;
  }
}

/** From the third field of /proc/PID/stat on: the second is a name in brackets, which may hold spaces. */
function fieldsOf(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}
