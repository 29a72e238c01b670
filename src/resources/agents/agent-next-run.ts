import { nextRunOf } from '../schedules/next-run.js';
import type { AgentRow } from './agent-row.js';

/** When the next of an agent's cron triggers comes round that are on; null without one, and while the agent is off or goes. */
export function agentNextRun({ spec, status }: Pick<AgentRow, 'spec' | 'status'>, now: Date): string | null {
  if (spec.enabled === false || status === 'DELETING') return null;
  const schedules = (spec.triggers ?? []).flatMap(({ type, enabled, configuration }) => {
    const cron = configuration?.schedule;
    return type === 'cron' && enabled !== false && cron !== undefined ? [{ cron, timeZone: 'UTC' }] : [];
  });
  return nextRunOf(schedules, now);
}
