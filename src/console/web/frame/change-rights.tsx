import type { ReactElement, ReactNode } from 'react';
import { Notice } from '../look/notice.js';
import { useViewer } from './viewer.js';
import type { ViewerAccount } from './viewer.js';

/** Whether the user may change resources of a workspace. Viewers may not. */
export function useCanChange(workspace: string | undefined): boolean {
  const { workspaces } = useViewer();
  return workspaces.find(({ name }) => name === workspace)?.viewerRole !== 'VIEWER';
}

/** Says that the user can only read, where actions are not offered. */
export function ViewOnly(): ReactElement {
  return (
    <span className="quiet view-only" title="Ask an admin of the workspace for the role member to make changes.">
      View only: your role is viewer.
    </span>
  );
}

/** Whether the user is an admin of the account or of one of its workspaces, which credentials and webhooks require. */
export function useIsAdminWithin(account: ViewerAccount | undefined): boolean {
  const { workspaces } = useViewer();
  if (account === undefined) return false;
  return (
    account.viewerRole === 'ADMIN' ||
    workspaces.some((each) => each.account.id === account.id && each.viewerRole === 'ADMIN')
  );
}

interface NoneVisibleProps {
  account: ViewerAccount;
  /** The plural, such as webhooks. */
  many: string;
  /** The purpose of the things. */
  children: ReactNode;
}

/** An empty list of an account. Only an admin of the account knows that there are none. */
export function NoneVisible({ account, many, children }: NoneVisibleProps): ReactElement {
  if (account.viewerRole === 'ADMIN') return <Notice title={`No ${many} yet`}>{children}</Notice>;
  return (
    <Notice title={`No ${many} that you can see`}>
      {children} Only account admins see all {many} of the account.
    </Notice>
  );
}
