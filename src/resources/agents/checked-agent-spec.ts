// AgentSpec in inputs: with the rules for several of its parts, and ids for its triggers.
import type { z } from 'zod';
import { refuse, unlessMistyped } from '../../schema/rule.js';
import type { Rules } from '../../schema/rule.js';
import { requireRegion } from '../../schema/runtime.js';
import { isOfKeptSize, keptSize } from '../../schema/values.js';
import { agentSpecAnswer } from './agent-spec.js';
import type { AgentSpec, Trigger } from './agent-spec.js';

export const agentSpec = agentSpecAnswer
  .superRefine(requireMk3, unlessMistyped('public', 'runtime', 'triggers'))
  .superRefine(requireRegion, unlessMistyped('region', 'volumes'))
  .refine(isOfKeptSize, keptSize)
  .transform(({ triggers, ...spec }) => ({ ...spec, ...(triggers && { triggers: withIds(triggers) }) }));

export type AgentSpecInput = z.input<typeof agentSpec>;

function requireMk3({ runtime, public: isPublic, triggers = [] }: AgentSpec, rules: Rules): void {
  if (runtime?.generation === 'mk3') return;
  const rule = 'is only available for generation mk3';
  if (isPublic) refuse(rules, ['public'], 'not_available', rule);
  for (const [index, { configuration }] of triggers.entries()) {
    if (configuration?.timeout === undefined) continue;
    refuse(rules, ['triggers', index, 'configuration', 'timeout'], 'not_available', rule);
  }
}

/** Generates missing ids, and replaces duplicates. */
function withIds(triggers: Trigger[]): Trigger[] {
  const used = new Set<string>();
  return triggers.map((each) => {
    const wish = each.id || each.type;
    let id = wish;
    for (let count = 2; used.has(id); count++) id = `${wish}-${count}`;
    used.add(id);
    return { ...each, id };
  });
}
