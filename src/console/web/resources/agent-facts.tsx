import type { ReactElement } from 'react';
import { plural } from '../look/amount.js';
import { formatPercent } from '../look/locale.js';
import { Fact, Section } from './section.js';
import type { Agent } from './resource-queries.js';
import { EnvSection, RuntimeFacts } from './runtime-facts.js';
import { VolumeTable } from './volume-table.js';

interface AgentFactsProps {
  agent: Agent;
  workspace: string;
  /** Without triggers, volumes and variables. */
  isSummary: boolean;
}

/** The configuration of an agent. */
export function AgentFacts({ agent, workspace, isSummary }: AgentFactsProps): ReactElement {
  const { spec } = agent;
  const { runtime, revision, repository } = spec;
  return (
    <>
      <Section title="Configuration">
        <dl className="facts">
          <Fact name="Enabled">
            {spec.enabled ? 'Yes' : 'No'}
            <span className="quiet">{spec.public ? 'public' : 'authentication required'}</span>
          </Fact>
          {spec.region !== null && <Fact name="Region">{spec.region}</Fact>}
          <RuntimeFacts runtime={runtime} />
          {runtime?.maxScale != null && (
            <Fact name="Instances">
              {runtime.minScale ?? 0} to {runtime.maxScale}
              <span className="quiet">
                {(runtime.minScale ?? 0) === 0
                  ? 'starts on request'
                  : `${plural(runtime.minScale ?? 0, 'instance')} kept warm`}
              </span>
            </Fact>
          )}
          {revision !== null && <RevisionFact revision={revision} />}
          {repository !== null && (
            <Fact name="Repository">
              <span className="mono wrap">{repository.url}</span>
            </Fact>
          )}
          {spec.policies !== null && spec.policies.length > 0 && (
            <Fact name="Policies">{spec.policies.join(', ')}</Fact>
          )}
        </dl>
      </Section>
      {!isSummary && (
        <>
          <TriggerTable triggers={spec.triggers} />
          <VolumeTable volumes={spec.volumes} workspace={workspace} />
          <EnvSection envs={runtime?.envs} />
        </>
      )}
    </>
  );
}

function RevisionFact({ revision }: { revision: NonNullable<Agent['spec']['revision']> }): ReactElement {
  const { active, canary, canaryPercent } = revision;
  if (canary === null) {
    return (
      <Fact name="Revision">
        <span className="mono">{active}</span>
        <span className="quiet">all traffic</span>
      </Fact>
    );
  }
  const percent = canaryPercent ?? 0;
  return (
    <Fact name="Revision">
      <span className="mono">{active}</span> {formatPercent(100 - percent)}
      <span className="traffic" aria-hidden="true">
        <span style={{ flexGrow: 100 - percent }} />
        <span style={{ flexGrow: percent }} />
      </span>
      <span className="mono">{canary}</span> {formatPercent(percent)} <span className="quiet">canary</span>
    </Fact>
  );
}

function TriggerTable({ triggers }: { triggers: Agent['spec']['triggers'] }): ReactElement | null {
  if (triggers === null || triggers.length === 0) return null;
  return (
    <Section title="Triggers">
      <div className="table-space">
        <table className="plain-table">
          <thead>
            <tr>
              <th scope="col">Trigger</th>
              <th scope="col">Condition</th>
              <th scope="col" className="number">
                Retries
              </th>
            </tr>
          </thead>
          <tbody>
            {triggers.map(({ id, type, enabled, configuration }) => (
              <tr key={id}>
                <td>
                  <span className="mono">{id}</span>
                  {!enabled && <span className="quiet"> disabled</span>}
                </td>
                <td>
                  {type === 'CRON' ? (
                    <>
                      <code>{configuration?.schedule}</code> <span className="quiet">UTC</span>
                    </>
                  ) : (
                    <>
                      HTTP <code>{configuration?.path}</code>
                      {type === 'HTTP_ASYNC' && (
                        <span className="quiet wrap">
                          , callback {configuration?.callbackUrl}
                          {configuration?.timeout != null && `, timeout ${configuration.timeout} s`}
                        </span>
                      )}
                    </>
                  )}
                </td>
                <td className="number">{configuration?.retry ?? 0}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}
