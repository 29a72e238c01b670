import type { ReactElement } from 'react';
import { useNow } from '../look/time-text.js';
import { exactTime, formatDuration } from '../look/time.js';

/** How long the previous secret of a rotation still works; nothing once it has expired. */
export function OldSecret({ expiresAt }: { expiresAt: string | null | undefined }): ReactElement | null {
  const nowMs = useNow();
  const restMs = expiresAt == null ? 0 : Date.parse(expiresAt) - nowMs;
  if (expiresAt == null || restMs <= 0) return null;
  return (
    <span className="quiet" title={exactTime(expiresAt)}>
      Previous secret works for {formatDuration(restMs)}
    </span>
  );
}
