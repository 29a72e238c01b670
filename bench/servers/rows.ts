// What the hand-written peers read: the same rows, through bare `pg`, as narrow as each asks for.
import pg from 'pg';

export interface Env {
  name: string;
  value?: string;
  secret?: boolean;
}

export interface Trigger {
  configuration?: { callbackSecret?: string; callbackUrl?: string };
}

export interface Spec {
  runtime?: { envs?: Env[] };
  triggers?: Trigger[];
}

/** An event as an array by position: naming every field of 250 events costs more than the rest of a page. */
export type EventTuple = [time: string, ...rest: (string | null)[]];

export const eventTuples = `json_agg(
  json_build_array(time, type, status, message, revision, canary_revision) ORDER BY sequence)`;

export interface AgentRow {
  id: string;
  name: string;
  display_name: string | null;
  external_id: string | null;
  labels: Record<string, string> | null;
  created_at: Date;
  updated_at: Date;
  created_by: string | null;
  updated_by: string | null;
  status: string | null;
  spec: Spec;
}

export interface Workspace {
  id: string;
  name: string;
  account_id: string;
  plan: string;
}

const inferenceUrl = 'http://localhost:4000/inference';

/** As many connections as the control plane has by default. */
export const pool = new pg.Pool({
  connectionString: process.env['DATABASE_URL'],
  max: 10,
  options: '-c timezone=UTC',
});

/** Read once by servers that know no callers. */
export async function readWorkspace(name: string): Promise<Workspace> {
  const { rows } = await pool.query<Workspace>(
    `SELECT w.id, w.name, w.account_id, a.plan FROM workspace w JOIN account a ON a.id = w.account_id WHERE w.name = $1`,
    [name],
  );
  const [workspace] = rows;
  if (workspace === undefined) throw new Error(`there is no workspace ${name}`);
  return workspace;
}

export function urlOf(workspace: Workspace, agent: string): string {
  return `${inferenceUrl}/${workspace.name}/agents/${agent}`;
}

/** The spec without the values of its secrets, which nobody may leave out. */
export function maskedSpec(spec: Spec): Spec {
  for (const env of spec.runtime?.envs ?? []) if (env.secret) env.value = '***';
  for (const { configuration } of spec.triggers ?? []) {
    if (configuration?.callbackSecret !== undefined) configuration.callbackSecret = '***';
    if (configuration?.callbackUrl !== undefined) configuration.callbackUrl = '***';
  }
  return spec;
}

/** PostgreSQL writes `2026-04-28T09:30:00.5+00:00` into JSON. */
export function isoFrom(text: string): string {
  const instant = text.slice(0, -6);
  return `${instant.length === 19 ? `${instant}.` : instant}`.padEnd(23, '0') + 'Z';
}

export const port = Number(process.env['PORT'] ?? 4100);
export const workspaceName = process.env['BENCH_WORKSPACE'] ?? 'meridian-production';
