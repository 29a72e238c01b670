import type { ReactElement } from 'react';
import { Notice } from '../look/notice.js';

export function NoAccount({ name }: { name: string }): ReactElement {
  return (
    <div className="view">
      <h1 className="hidden">Nothing here</h1>
      <Notice title={`There is no account “${name}” for you`}>
        It may have another name, or you are not one of its members.
      </Notice>
    </div>
  );
}
