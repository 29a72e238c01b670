import type { ReactElement } from 'react';
import { useMutation } from 'urql';
import { cancelExecution } from '../editing/change-documents.js';
import { refusalIn } from '../editing/change-resource.js';
import { Confirm } from '../look/confirm.js';

interface CancelExecutionProps {
  workspace: string;
  job: string;
  id: string;
  running: number;
  onDone: () => void;
}

/** Stops an execution that is not over. */
export function CancelExecution({ workspace, job, id, running, onDone }: CancelExecutionProps): ReactElement {
  const [, cancel] = useMutation(cancelExecution);
  return (
    <Confirm
      trigger="Cancel…"
      title="Cancel this execution?"
      confirm="Cancel the execution"
      keep="Let it run"
      run={async () => {
        const { data, error } = await cancel({ input: { workspace, jobName: job, executionId: id } });
        const refusal = refusalIn(data?.result, error);
        onDone();
        return refusal?.message;
      }}
    >
      {running === 0
        ? 'None of its tasks runs yet, and none will.'
        : `${running === 1 ? 'One task is' : `${running} tasks are`} stopped where it stands; the others are not begun.`}
    </Confirm>
  );
}
