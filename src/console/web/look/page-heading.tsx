import type { ReactElement, ReactNode } from 'react';
import { BesideTitle } from './beside.js';
import { CopyButton } from './copy-button.js';
import './page-heading.css';

interface PageHeadingProps {
  title: string;
  /** Whether the title is a name or an id: in a monospace typeface, with a copy button. */
  isName?: boolean;
  /** The state, beside the title. */
  state?: ReactNode;
  /** What matters most, in one line. Each child is one fact. */
  essentials?: ReactNode;
  /** The latest message of the platform about it. */
  reason?: ReactNode;
  /** The buttons, at most one of them primary. */
  actions?: ReactNode;
  /** The buttons of a preview beside a list. */
  windowButtons?: ReactNode;
}

/** The header of a page: title, state, one line of essentials, and the actions at the right. */
export function PageHeading(props: PageHeadingProps): ReactElement {
  const { title, isName = false, state, essentials, reason, actions, windowButtons } = props;
  const Title = windowButtons === undefined ? 'h1' : BesideTitle;
  return (
    <header className="resource-heading">
      <div className="resource-name">
        <Title className={isName ? 'mono' : ''}>{title}</Title>
        {isName && <CopyButton text={title} label="Copy name" />}
        {state}
      </div>
      {actions}
      {essentials !== undefined && <p className="resource-essentials quiet">{essentials}</p>}
      {reason}
      {windowButtons !== undefined && <span className="resource-window">{windowButtons}</span>}
    </header>
  );
}
