import { Dialog } from '@base-ui/react/dialog';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { client } from '../api/client.js';
import { runJob } from '../editing/change-documents.js';
import { messagesOf, refusalIn } from '../editing/change-resource.js';
import { EntryDialog } from '../look/entry-dialog.js';
import { DialogForm, TextField } from '../look/form-dialog.js';

/** The settings of an earlier execution, as far as they are known. */
export interface EarlierRun {
  tasks: readonly string[];
  memory: number | null;
  timeout: number | null;
  /** Names of variables. Their values are secret. */
  variables: readonly string[];
}

interface RunJobProps {
  workspace: string;
  job: string;
  /** Set for a re-run. */
  earlier?: EarlierRun;
}

/** Runs a job, with optional overrides for this execution. */
export function RunJob({ isEnabled, ...props }: RunJobProps & { isEnabled: boolean }): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const { job, earlier } = props;
  return (
    <EntryDialog
      isOpen={isOpen}
      onOpenChange={setOpen}
      trigger={
        <Dialog.Trigger
          className="button primary"
          disabled={!isEnabled}
          title={isEnabled ? undefined : 'Enable the job to run it'}
        >
          {earlier === undefined ? 'Run job…' : 'Re-run…'}
        </Dialog.Trigger>
      }
    >
      <Dialog.Title render={<h2 />}>Run {job}</Dialog.Title>
      <Dialog.Description className="quiet">
        Empty fields use the settings of the job.
        {(earlier?.variables.length ?? 0) > 0 &&
          ' Values of variables are secret: enter them again, or remove the lines.'}
      </Dialog.Description>
      <RunForm {...props} close={() => setOpen(false)} />
    </EntryDialog>
  );
}

/** The overrides. They are forgotten when the dialog closes, because they can be secret. */
function RunForm({ workspace, job, earlier, close }: RunJobProps & { close: () => void }): ReactElement {
  const navigate = useNavigate();
  const [tasks, setTasks] = useState(() => earlier?.tasks.join('\n') ?? '');
  const [variables, setVariables] = useState(() => earlier?.variables.map((name) => `${name}=`).join('\n') ?? '');
  const [memory, setMemory] = useState(() => String(earlier?.memory ?? ''));
  const [timeout, setTimeout] = useState(() => String(earlier?.timeout ?? ''));

  const send = async () => {
    const overrides = variablesIn(variables);
    if ('problem' in overrides) return overrides.problem;
    const names = linesOf(tasks);
    const input = {
      workspace,
      name: job,
      ...(names.length === 0 ? {} : { tasks: names.map((name) => ({ name })) }),
      ...(Object.keys(overrides.variables).length === 0 ? {} : { envOverride: overrides.variables }),
      ...(memory === '' ? {} : { memoryOverride: Number(memory) }),
      ...(timeout === '' ? {} : { timeout: Number(timeout) }),
    };
    const { data, error } = await client.mutation(runJob, { input }).toPromise();
    const refusal = refusalIn(data?.result, error);
    if (refusal !== undefined) return messagesOf(refusal).join('\n');
    close();
    if (data === undefined || !('jobExecution' in data.result)) return undefined;
    const { id } = data.result.jobExecution.metadata;
    await navigate({ to: '/w/$workspace/jobs/$name/executions/$id', params: { workspace, name: job, id } });
    return undefined;
  };

  return (
    <DialogForm submit="Run job" send={send}>
      <label>
        Tasks (one name per line)
        <textarea
          className="field lines"
          value={tasks}
          onChange={(event) => setTasks(event.target.value)}
          placeholder="Default: one task"
          spellCheck={false}
        />
      </label>
      <label>
        Variables (one NAME=value per line)
        <textarea
          className="field lines"
          value={variables}
          onChange={(event) => setVariables(event.target.value)}
          spellCheck={false}
        />
      </label>
      <TextField {...wholeNumber} label="Memory (MB)" value={memory} onChange={(text) => setMemory(text.trim())} />
      <TextField
        {...wholeNumber}
        label="Timeout (seconds)"
        value={timeout}
        onChange={(text) => setTimeout(text.trim())}
      />
    </DialogForm>
  );
}

const wholeNumber = { inputMode: 'numeric', pattern: '[0-9]*' } as const;

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function variablesIn(text: string): { variables: Record<string, string> } | { problem: string } {
  const pairs: [string, string][] = [];
  for (const line of linesOf(text)) {
    const at = line.indexOf('=');
    if (at < 1) return { problem: `“${line}” is not a variable. Use the format NAME=value.` };
    pairs.push([line.slice(0, at).trim(), line.slice(at + 1)]);
  }
  return { variables: Object.fromEntries(pairs) };
}
