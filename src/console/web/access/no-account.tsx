import type { ReactElement } from 'react';
import { Notice } from '../look/notice.js';

export function NoAccount({ name }: { name: string }): ReactElement {
  return (
    <div className="view">
      <Notice title={`There is no account “${name}” for you`}>
        It may have another name, or you are not one of its members.
      </Notice>
    </div>
  );
}
