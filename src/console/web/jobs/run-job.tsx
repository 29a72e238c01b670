import { Dialog } from '@base-ui/react/dialog';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { FormEvent, ReactElement } from 'react';
import { useMutation } from 'urql';
import { runJob } from '../editing/change-documents.js';
import { messagesOf, refusalIn } from '../editing/change-resource.js';
import { EntryDialog } from '../look/entry-dialog.js';
import { Problems } from '../look/problems.js';

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
  isEnabled: boolean;
  /** Set for a re-run. */
  earlier?: EarlierRun;
}

/** Runs a job, with optional overrides for this execution. */
export function RunJob({ workspace, job, isEnabled, earlier }: RunJobProps): ReactElement {
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const [{ fetching }, run] = useMutation(runJob);
  const [tasks, setTasks] = useState(() => earlier?.tasks.join('\n') ?? '');
  const [variables, setVariables] = useState(() => earlier?.variables.map((name) => `${name}=`).join('\n') ?? '');
  const [memory, setMemory] = useState(() => String(earlier?.memory ?? ''));
  const [timeout, setTimeout] = useState(() => String(earlier?.timeout ?? ''));
  const [problems, setProblems] = useState<readonly string[]>([]);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const overrides = variablesIn(variables);
    if ('problem' in overrides) return setProblems([overrides.problem]);
    const names = linesOf(tasks);
    const { data, error } = await run({
      input: {
        workspace,
        name: job,
        ...(names.length === 0 ? {} : { tasks: names.map((name) => ({ name })) }),
        ...(Object.keys(overrides.variables).length === 0 ? {} : { envOverride: overrides.variables }),
        ...(memory === '' ? {} : { memoryOverride: Number(memory) }),
        ...(timeout === '' ? {} : { timeout: Number(timeout) }),
      },
    });
    const refusal = refusalIn(data?.result, error);
    if (refusal !== undefined) return setProblems(messagesOf(refusal));
    setOpen(false);
    if (data === undefined || !('jobExecution' in data.result)) return undefined;
    const { id } = data.result.jobExecution.metadata;
    return navigate({ to: '/w/$workspace/jobs/$name/executions/$id', params: { workspace, name: job, id } });
  };

  return (
    <EntryDialog
      isOpen={isOpen}
      onOpenChange={(next) => {
        setOpen(next);
        setProblems([]);
      }}
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
      <form className="form" onSubmit={(event) => void submit(event)}>
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
        <label>
          Memory (MB)
          <input
            className="field"
            inputMode="numeric"
            pattern="[0-9]*"
            value={memory}
            onChange={(event) => setMemory(event.target.value.trim())}
          />
        </label>
        <label>
          Timeout (seconds)
          <input
            className="field"
            inputMode="numeric"
            pattern="[0-9]*"
            value={timeout}
            onChange={(event) => setTimeout(event.target.value.trim())}
          />
        </label>
        {problems.length > 0 && <Problems text={problems.join('\n')} />}
        <div className="confirm-buttons">
          <Dialog.Close className="button">Cancel</Dialog.Close>
          <button type="submit" className="button primary" disabled={fetching}>
            Run job
          </button>
        </div>
      </form>
    </EntryDialog>
  );
}

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
