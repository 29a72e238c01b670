import { Link } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
import type { Kind } from '../kinds/kinds.js';
import { CopyButton } from '../look/copy-button.js';
import { Icon } from '../look/icon.js';

interface HeadingProps {
  kind: Kind;
  name: string;
  workspace: string;
  /** The state, beside the name. */
  state?: ReactNode;
  /** What matters most of the resource, in one line. */
  essentials?: ReactNode;
  /** The latest message of the platform about it. */
  reason?: ReactNode;
  actions?: ReactNode;
  onClose: (() => void) | undefined;
}

/** The header of a resource. In a preview, with buttons to open its page and to close the preview. */
export function ResourceHeading(props: HeadingProps): ReactElement {
  const { kind, name, workspace, state, essentials, reason, actions, onClose } = props;
  return (
    <header className="resource-heading">
      <div className="resource-name">
        <h1 className="mono">{name}</h1>
        <CopyButton text={name} label="Copy name" />
        {state}
      </div>
      {actions}
      {essentials !== undefined && <p className="resource-essentials quiet">{essentials}</p>}
      {reason}
      {onClose !== undefined && (
        <span className="resource-window">
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
