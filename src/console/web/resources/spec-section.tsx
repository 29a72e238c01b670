import { useState } from 'react';
import type { ReactElement } from 'react';
import { CopyButton } from '../look/copy-button.js';
import { Section } from './section.js';
import { plainFrom, yamlOf } from './spec-text.js';

/** The spec as YAML. */
export function SpecSection({ spec }: { spec: object }): ReactElement {
  const [isShown, setShown] = useState(false);
  const text = yamlOf(plainFrom(spec) ?? {});
  return (
    <Section
      title="Spec as YAML"
      aside={
        <span>
          <CopyButton text={text} label="Copy spec" />
          <button type="button" className="button bare" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
            {isShown ? 'Hide' : 'Show'}
          </button>
        </span>
      }
    >
      {isShown && (
        <pre className="spec-text" tabIndex={0} aria-label="Spec as YAML">
          {text}
        </pre>
      )}
    </Section>
  );
}
