import { Outlet, useParams } from '@tanstack/react-router';
import type { CombinedError } from '@urql/core';
import { useCallback, useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { client } from '../api/client.js';
import { useRetry } from '../api/use-refresh.js';
import { FailureNotice, Notice } from '../look/notice.js';
import { Skeletons } from '../look/skeletons.js';
import { useViewer, viewerQuery } from './viewer.js';

/** The gateway remembers the workspaces of a user for less than this time (milliseconds). */
const rememberedMs = 1_000;

/** The views of a workspace. Users who are not members see that it was not found. */
export function InWorkspace(): ReactElement {
  const { workspace } = useParams({ from: '/w/$workspace' });
  const { workspaces } = useViewer();
  const [looked, setLooked] = useState<{ for: string; error: CombinedError | undefined }>();
  const isKnown = workspaces.some(({ name }) => name === workspace);
  // The gateway may not know yet that the user is a member of a new workspace.
  const look = useCallback(async () => {
    const { error } = await client.query(viewerQuery, {}, { requestPolicy: 'network-only' }).toPromise();
    setLooked({ for: workspace, error });
  }, [workspace]);
  useEffect(() => {
    if (isKnown) return undefined;
    const again = setTimeout(() => void look(), rememberedMs);
    return () => clearTimeout(again);
  }, [isKnown, look]);
  const error = looked?.for === workspace ? looked.error : undefined;
  useRetry(isKnown ? undefined : error, false, () => void look());
  if (isKnown) return <Outlet />;
  if (looked?.for !== workspace || error !== undefined) {
    return (
      <div className="view">
        {error === undefined ? <Skeletons /> : <FailureNotice error={error} onRetry={() => void look()} />}
      </div>
    );
  }
  return (
    <div className="view">
      <h1 className="hidden">Workspace not found</h1>
      <Notice title={`Workspace “${workspace}” not found`}>It does not exist, or you are not a member.</Notice>
    </div>
  );
}
