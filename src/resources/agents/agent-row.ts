import { Prisma } from '../../database/client/client.js';
import { attachingCriteria, workloadCriteria } from '../../store/read/criteria.js';
import { shownOr, wordsIn } from '../../store/read/criterion.js';
import type { PartialResource, Resource, ShownResource } from '../../store/read/resource.js';
import type { RowEncryption } from '../../encryption.js';
import { masked, resourceAnswer } from '../../schema/resource.js';
import { resourceKind } from '../../store/read/resource-kind.js';
import { resourceFromRow, specifiedColumns } from '../../store/read/resource-row.js';
import type { SpecifiedResource, SpecifiedRow } from '../../store/read/resource-row.js';
import { maskedSpec } from '../../schema/runtime.js';
import { secretPurposes, withSecrets } from '../../store/write/encrypted-spec.js';
import { agentSpecAnswer, triggerType } from './agent-spec.js';
import type { AgentSpec, Trigger } from './agent-spec.js';

/** An agent as the specification prints it. */
export const agent = resourceAnswer('Agent', 'An agent deployed in a workspace.', agentSpecAnswer);

export type Agent = SpecifiedResource<AgentSpec>;

export type AgentRow = SpecifiedRow<AgentSpec>;

export const agentKind = resourceKind<AgentRow>('AGENT', {
  columns: specifiedColumns,
  hasSearchIndex: true,
  hasIndexedValues: true,
  criteria: {
    ...workloadCriteria,
    ...attachingCriteria,
    triggerType: wordsIn(
      'Matches agents with a trigger of any of these types.',
      triggerType,
      shownOr(
        Prisma.sql`r."spec"::text`,
        // Maps with keys from callers have no boolean values, so the text cannot match elsewhere.
        (type) => [`"type":"${type}","enabled":true`, `"type":"${type}","enabled":false`],
        (types) => Prisma.sql`EXISTS (
          SELECT FROM json_entries(r."spec"->'triggers') AS entry WHERE entry->>'type' = ANY(${types}::text[]))`,
      ),
      'trigger',
    ),
  },
  endpointPath: 'agents',
});

export function agentFromRow(agent: Resource<AgentRow>): Agent {
  return resourceFromRow(agent, agentSpecOf(agent, agent.row));
}

/** An agent with every secret masked, for every caller. */
export function maskedAgent(agent: ShownResource<AgentRow>): Agent {
  return resourceFromRow(
    agent,
    withSecrets(maskedSpec(agent.row.spec), () => masked),
  );
}

/** The stored spec as a caller may see it: no secret leaves but to its owner. */
export function agentSpecOf(
  found: PartialResource<AgentRow>,
  { name, spec }: Pick<AgentRow, 'name' | 'spec'>,
): AgentSpec {
  const { triggers } = spec;
  const isOpening = triggers?.some(
    ({ configuration }) => configuration?.callbackSecret !== undefined || configuration?.callbackUrl !== undefined,
  );
  return {
    ...maskedSpec(spec),
    triggers: isOpening ? triggers?.map((trigger) => openedTrigger(found, name, trigger)) : triggers,
  };
}

/**
 * Receivers verify callbacks with the secret of a trigger, and its URL can contain a token. Both are shown to admins of the
 * workspace whose credential may update the agent: a read-only credential does not get them. They are decrypted, and the
 * read of the secret is recorded, only when the response includes them.
 */
function openedTrigger({ id, ctx, workspace }: PartialResource<AgentRow>, name: string, trigger: Trigger): Trigger {
  const { configuration } = trigger;
  const { callbackSecret: encryptedText, callbackUrl: encryptedUrl } = configuration ?? {};
  if (encryptedText === undefined && encryptedUrl === undefined) return trigger;
  const { scopes } = ctx.caller;
  const mayRead = workspace.role === 'admin' && (scopes.has('admin') || scopes.has('agents:update'));
  if (!mayRead) return maskedTrigger(trigger);
  const encryption = ctx.encryption.ofRow('agent', id);
  let secret: string | undefined;
  const read = (text: string): string => {
    ctx.onSecretRead({
      name: `${workspace.name}/${name}`,
      message: `Read the callback secret of the agent ${name} in the workspace ${workspace.name}.`,
    });
    return encryption.openCached(secretPurposes.callback, text) ?? masked;
  };
  return {
    ...trigger,
    configuration: {
      ...configuration,
      get callbackUrl() {
        if (encryptedUrl === undefined) return undefined;
        return encryption.openCached(secretPurposes.callbackUrl, encryptedUrl) ?? masked;
      },
      get callbackSecret() {
        return encryptedText === undefined ? undefined : (secret ??= read(encryptedText));
      },
    },
  };
}

function maskedTrigger(trigger: Trigger): Trigger {
  const [shown = trigger] = withSecrets({ triggers: [trigger] }, () => masked).triggers;
  return shown;
}

/** The form in which a trigger's callbackSecret is stored. */
export function encryptCallbackSecret(encryption: RowEncryption, secret: string): string {
  return encryption.encrypt(secretPurposes.callback, secret);
}
