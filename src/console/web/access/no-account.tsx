import type { ReactElement } from 'react';
import { Notice } from '../look/notice.js';

export function NoAccount({ name }: { name: string }): ReactElement {
  return (
    <div className="view">
      <h1 className="hidden">Account not found</h1>
      <Notice title={`Account “${name}” not found`}>It does not exist, or you are not a member.</Notice>
    </div>
  );
}
