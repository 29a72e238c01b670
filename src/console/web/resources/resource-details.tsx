import type { ReactElement } from 'react';
import { CopyButton } from '../look/copy-button.js';
import { LabelChips } from '../look/label-chips.js';
import { Time } from '../look/time-text.js';
import type { AnyResource } from './resource-queries.js';
import { Fact, Section } from './section.js';

/** The labels, authors and ids of a resource. */
export function ResourceDetails({ resource: { id, metadata } }: { resource: AnyResource }): ReactElement {
  return (
    <Section title="Details">
      <dl className="facts">
        {metadata.labels.length > 0 && (
          <Fact name="Labels">
            <LabelChips labels={metadata.labels} />
          </Fact>
        )}
        <Fact name="Created">
          {metadata.createdAt !== null && <Time value={metadata.createdAt} />}
          {metadata.createdBy !== null && <span className="quiet">by {metadata.createdBy}</span>}
        </Fact>
        <Fact name="Updated">
          {metadata.updatedAt !== null && <Time value={metadata.updatedAt} />}
          {metadata.updatedBy !== null && <span className="quiet">by {metadata.updatedBy}</span>}
        </Fact>
        {metadata.externalId !== null && (
          <Fact name="External ID">
            <span className="mono">{metadata.externalId}</span>
            <CopyButton text={metadata.externalId} label="Copy external ID" />
          </Fact>
        )}
        <Fact name="ID">
          <span className="mono cut" title={id}>
            {id}
          </span>
          <CopyButton text={id} label="Copy ID" />
        </Fact>
      </dl>
    </Section>
  );
}
