import type { ReactElement } from 'react';
import { useCanChange } from '../frame/change-rights.js';
import type { Kind } from '../kinds/kinds.js';
import { CopyButton } from '../look/copy-button.js';
import { manifestOf } from './manifest.js';
import type { AnyResource } from './resource-queries.js';
import { Section } from './section.js';

interface YamlTabProps {
  resource: AnyResource;
  kind: Kind;
  workspace: string;
  onEdit: () => void;
}

/** The resource as a manifest. */
export function YamlTab({ resource, kind, workspace, onEdit }: YamlTabProps): ReactElement {
  const text = manifestOf(resource, kind, workspace);
  const canChange = useCanChange(workspace);
  return (
    <Section
      title="Manifest"
      aside={
        <span className="section-actions">
          <CopyButton text={text} label="Copy manifest" />
          {canChange && (
            <button type="button" className="button" onClick={onEdit}>
              Edit
            </button>
          )}
        </span>
      }
    >
      <p className="quiet">
        As <code>control-plane apply</code> accepts it. <code>***</code> stands for a stored secret.
      </p>
      <pre className="spec-text" tabIndex={0} aria-label="Manifest">
        {text}
      </pre>
    </Section>
  );
}
