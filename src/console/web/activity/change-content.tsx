import type { ReactElement } from 'react';
import { CopyButton } from '../look/copy-button.js';
import { plainFrom, yamlOf } from '../resources/spec-text.js';
import { Section } from '../resources/section.js';
import type { WholeChange } from './activity-queries.js';
import { FieldDiffs } from './field-diffs.js';

/** What a change made of something: field by field, or all of it where it began or ended. */
export function ChangeContent({
  change,
}: {
  change: Pick<WholeChange, 'fields' | 'before' | 'after'>;
}): ReactElement | null {
  const { fields, before, after } = change;
  if (fields.length > 0) {
    return (
      <Section title={fields.length === 1 ? 'What changed' : `What changed, in ${fields.length} fields`}>
        {before === null && after === null ? (
          <>
            <p className="mono wrap">{fields.join(', ')}</p>
            <p className="quiet">What they held was not kept.</p>
          </>
        ) : (
          <FieldDiffs fields={fields} before={before} after={after} />
        )}
      </Section>
    );
  }
  if (after !== null) return <Whole title="What it was made as" value={after} />;
  return before === null ? null : <Whole title="What it was" value={before} />;
}

/** All of a resource, as text. */
export function Whole({ title, value }: { title: string; value: unknown }): ReactElement {
  const text = yamlOf(plainFrom(value) ?? {});
  return (
    <Section title={title} aside={<CopyButton text={text} label="Copy it as YAML" />}>
      <pre className="spec-text" tabIndex={0} aria-label={title}>
        {text}
      </pre>
    </Section>
  );
}
