// AgentSpec in inputs: the rules for several of its parts, and the ids of its triggers.
import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { refuse, unlessMistyped } from '../../schema/rule.js';
import type { Rules } from '../../schema/rule.js';
import { masked } from '../../schema/resource.js';
import { requireRegion } from '../../schema/runtime.js';
import { isOfKeptSize, keptSize } from '../../schema/values.js';
import { agentSpecAnswer, triggerIdLengthMax } from './agent-spec.js';
import type { AgentSpec, Trigger } from './agent-spec.js';

export const agentSpec = agentSpecAnswer
  .superRefine(requireMk3, unlessMistyped('public', 'runtime', 'triggers'))
  .superRefine(requireRegion, unlessMistyped('region', 'volumes'))
  .refine(isOfKeptSize, keptSize);

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

/**
 * Generates missing ids, and replaces duplicates. A trigger without an id keeps the id of an existing trigger, and so its
 * secret and its schedule: of an equal one, else of one with the same type.
 *
 * @param before the existing triggers of the agent.
 */
export function withIds(triggers: Trigger[], before: Trigger[] = []): Trigger[] {
  const free = before.filter(({ id }) => triggers.every((each) => each.id !== id));
  const take = (isLike: (other: Trigger) => boolean) => {
    const found = free.find(isLike);
    if (found !== undefined) free.splice(free.indexOf(found), 1);
    return found?.id;
  };
  const equal = triggers.map((each) => each.id || take((other) => isEqual(each, other)));
  const wishes = triggers.map(({ type }, index) => equal[index] ?? take((other) => other.type === type));
  const used = new Set<string>();
  return triggers.map((each, index) => {
    const wish = wishes[index] ?? each.type;
    const isTaken = (id: string) => used.has(id) || (wishes[index] === undefined && wishes.includes(id));
    let id = wish;
    for (let count = 2; isTaken(id); count++) {
      const end = `-${count}`;
      id = `${Array.from(wish)
        .slice(0, triggerIdLengthMax - end.length)
        .join('')}${end}`;
    }
    used.add(id);
    return { ...each, id };
  });
}

/** Whether a trigger of the input has the content of an existing one. A masked callbackUrl is any URL. */
function isEqual(given: Trigger, existing: Trigger): boolean {
  const { configuration } = existing;
  const isMasked = given.configuration?.callbackUrl === masked && configuration?.callbackUrl !== undefined;
  const other = isMasked ? { ...existing, configuration: { ...configuration, callbackUrl: masked } } : existing;
  return isDeepStrictEqual(content(given), content(other));
}

/** What a caller can set of a trigger, without its id. */
function content({ type, enabled, configuration = {} }: Trigger): object {
  const { callbackSecret: _, ...settings } = configuration;
  return { type, enabled, settings };
}
