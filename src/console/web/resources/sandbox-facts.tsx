import type { ReactElement } from 'react';
import { Fact, Section } from './section.js';
import type { Sandbox } from './resource-queries.js';
import { EnvSection, RuntimeFacts } from './runtime-facts.js';
import { VolumeTable } from './volume-table.js';

interface SandboxFactsProps {
  sandbox: Sandbox;
  workspace: string;
  /** Without volumes and variables. */
  isSummary: boolean;
}

/** The configuration of a sandbox. */
export function SandboxFacts({ sandbox, workspace, isSummary }: SandboxFactsProps): ReactElement {
  const { spec } = sandbox;
  return (
    <>
      <Section title="Configuration">
        <dl className="facts">
          <Fact name="Enabled">{spec.enabled ? 'Yes, starts on request' : 'No'}</Fact>
          {spec.region !== null && <Fact name="Region">{spec.region}</Fact>}
          <RuntimeFacts runtime={spec.runtime} />
        </dl>
      </Section>
      {!isSummary && (
        <>
          <VolumeTable volumes={spec.volumes} workspace={workspace} />
          <EnvSection envs={spec.runtime?.envs} />
        </>
      )}
    </>
  );
}
