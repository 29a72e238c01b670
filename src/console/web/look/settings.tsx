import type { ReactElement, ReactNode } from 'react';
import { CopyButton } from './copy-button.js';
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

/** A setting of another program, to copy. */
export function CopiedSetting({ name, text }: { name: string; text: string }): ReactElement {
  const lower = name.charAt(0).toLowerCase() + name.slice(1);
  return (
    <Setting name={name} action={<CopyButton text={text} label={`Copy ${lower}`} />}>
      <span className="mono">{text}</span>
    </Setting>
  );
}
