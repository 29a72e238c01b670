import type { ReactElement } from 'react';
import { CopyButton } from '../look/copy-button.js';
import { plainFrom, yamlOf } from '../resources/spec-text.js';
import { Section } from '../resources/section.js';
import type { ChangeDetails } from './activity-queries.js';
import { FieldDiffs } from './field-diffs.js';

/** The content of a change: the changed fields, or the whole resource if it was created or deleted. */
export function ChangeContent({
  change,
}: {
  change: Pick<ChangeDetails, 'fields' | 'before' | 'after'>;
}): ReactElement | null {
  const { fields, before, after } = change;
  if (fields.length > 0) {
    return (
      <Section title={fields.length === 1 ? 'Changed field' : `Changed fields (${fields.length})`}>
        {before === null && after === null ? (
          <>
            <p className="mono wrap">{fields.join(', ')}</p>
            <p className="quiet">The values were not recorded.</p>
          </>
        ) : (
          <FieldDiffs fields={fields} before={before} after={after} />
        )}
      </Section>
    );
  }
  if (after !== null) return <ResourceSnapshot title="Created resource" value={after} />;
  return before === null ? null : <ResourceSnapshot title="Deleted resource" value={before} />;
}

/** A whole resource as YAML. */
export function ResourceSnapshot({ title, value }: { title: string; value: unknown }): ReactElement {
  const text = yamlOf(plainFrom(value) ?? {});
  return (
    <Section title={title} aside={<CopyButton text={text} label="Copy YAML" />}>
      <pre className="spec-text" tabIndex={0} aria-label={title}>
        {text}
      </pre>
    </Section>
  );
}
