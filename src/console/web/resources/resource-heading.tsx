import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import type { Kind } from '../kinds/kinds.js';
import { CopyButton } from '../look/copy-button.js';
import { Icon } from '../look/icon.js';

interface HeadingProps {
  kind: Kind;
  name: string;
  workspace: string;
  displayName?: string | null;
  onClose: (() => void) | undefined;
}

/** The name of a resource. In a preview, with buttons to open its page and to close the preview. */
export function ResourceHeading({ kind, name, workspace, displayName, onClose }: HeadingProps): ReactElement {
  return (
    <header className="resource-heading">
      <div>
        <h1 className="mono">{name}</h1>
        {displayName != null && <p className="quiet">{displayName}</p>}
      </div>
      <CopyButton text={name} label="Copy name" />
      {onClose !== undefined && (
        <span className="resource-actions">
          <Link
            to="/w/$workspace/$kind/$name"
            params={{ workspace, kind, name }}
            className="button bare square"
            aria-label="Open page"
            title="Open page (Enter)"
          >
            <Icon name="open" />
          </Link>
          <button type="button" className="button bare square" aria-label="Close" title="Close (Esc)" onClick={onClose}>
            <Icon name="close" />
          </button>
        </span>
      )}
    </header>
  );
}
