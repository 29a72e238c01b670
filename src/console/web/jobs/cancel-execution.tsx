import type { ReactElement } from 'react';
import { useMutation } from 'urql';
import { cancelExecution } from '../editing/change-documents.js';
import { refusalIn } from '../editing/change-resource.js';
import { Confirm } from '../look/confirm.js';

interface CancelExecutionProps {
  /** Global ID of the execution. */
  id: string;
  running: number;
  onDone: () => void;
}

/** Cancels an execution that has not finished. */
export function CancelExecution({ id, running, onDone }: CancelExecutionProps): ReactElement {
  const [, cancel] = useMutation(cancelExecution);
  return (
    <Confirm
      trigger="Cancel…"
      title="Cancel this execution?"
      confirm="Cancel execution"
      keep="Keep running"
      run={async () => {
        const { data, error } = await cancel({ input: { id } });
        const refusal = refusalIn(data?.result, error);
        onDone();
        return refusal?.message;
      }}
    >
      {running === 0
        ? 'No tasks have started. None will run.'
        : `${running === 1 ? 'One running task is' : `${running} running tasks are`} stopped. The remaining tasks do not start.`}
    </Confirm>
  );
}
