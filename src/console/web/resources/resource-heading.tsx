import { Link } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
import type { Kind } from '../kinds/kinds.js';
import { Icon } from '../look/icon.js';
import { PageHeading } from '../look/page-heading.js';

interface HeadingProps {
  kind: Kind;
  name: string;
  workspace: string;
  state?: ReactNode;
  essentials?: ReactNode;
  reason?: ReactNode;
  actions?: ReactNode;
  onClose: (() => void) | undefined;
}

/** The header of a resource. In a preview, with buttons to open its page and to close the preview. */
export function ResourceHeading({ kind, name, workspace, onClose, ...parts }: HeadingProps): ReactElement {
  return (
    <PageHeading
      {...parts}
      title={name}
      isName
      windowButtons={
        onClose === undefined ? undefined : (
          <>
            <Link
              to="/w/$workspace/$kind/$name"
              params={{ workspace, kind, name }}
              className="button bare square"
              aria-label="Open page"
              title="Open page (Enter)"
            >
              <Icon name="open" />
            </Link>
            <button
              type="button"
              className="button bare square"
              aria-label="Close"
              title="Close (Esc)"
              onClick={onClose}
            >
              <Icon name="close" />
            </button>
          </>
        )
      }
    />
  );
}
