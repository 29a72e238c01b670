import type { ReactElement } from 'react';
import { formatMegabytes } from '../look/amount.js';
import { Fact, Section } from './section.js';
import type { Volume } from './resource-queries.js';

export function VolumeFacts({ volume: { spec } }: { volume: Volume }): ReactElement {
  return (
    <Section title="Configuration">
      <dl className="facts">
        <Fact name="Size">{formatMegabytes(spec.sizeMb)}</Fact>
        <Fact name="Region">
          {spec.region} <span className="quiet">only workloads in this region can attach it</span>
        </Fact>
      </dl>
    </Section>
  );
}
