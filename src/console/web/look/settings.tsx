import type { ReactElement, ReactNode } from 'react';
import './settings.css';

/** The rows of a section of settings. */
export function Settings({ children }: { children: ReactNode }): ReactElement {
  return <dl className="settings">{children}</dl>;
}

interface SettingProps {
  name: string;
  /** The value. */
  children?: ReactNode;
  /** What can be done with it, at the end of the row. */
  action?: ReactNode;
}

/** One setting: its name, its value, and one action. */
export function Setting({ name, children, action }: SettingProps): ReactElement {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
      {action !== undefined && <dd className="setting-action">{action}</dd>}
    </div>
  );
}
