import { Dialog } from '@base-ui/react/dialog';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { FormEvent, ReactElement } from 'react';
import { useMutation } from 'urql';
import { runJob } from '../editing/change-documents.js';
import { messagesOf, refusalIn } from '../editing/change-resource.js';

/** What an earlier run was told, as far as it is known. */
export interface EarlierRun {
  tasks: readonly string[];
  memory: number | null;
  timeout: number | null;
  /** Names of variables, whose values are never told again. */
  variables: readonly string[];
}

interface RunJobProps {
  workspace: string;
  job: string;
  isEnabled: boolean;
  /** Given where a run is repeated. */
  earlier?: EarlierRun;
}

/** Runs a job, as it is or with something else for this one time. */
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
    const given = variablesIn(variables);
    if ('problem' in given) return setProblems([given.problem]);
    const names = linesOf(tasks);
    const { data, error } = await run({
      input: {
        workspace,
        jobName: job,
        ...(names.length === 0 ? {} : { tasks: names.map((name) => ({ name })) }),
        ...(Object.keys(given.variables).length === 0 ? {} : { envOverride: given.variables }),
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
    <Dialog.Root
      open={isOpen}
      onOpenChange={(next) => {
        setOpen(next);
        setProblems([]);
      }}
    >
      <Dialog.Trigger
        className="button primary"
        disabled={!isEnabled}
        title={isEnabled ? undefined : 'Switch it on to run it'}
      >
        {earlier === undefined ? 'Run…' : 'Run again…'}
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="confirm">
          <Dialog.Title render={<h2 />}>Run {job}</Dialog.Title>
          <Dialog.Description className="quiet">
            What is left empty is as the job has it.
            {(earlier?.variables.length ?? 0) > 0 &&
              ' The values that the variables had then are sealed: write them again, or take the lines away.'}
          </Dialog.Description>
          <form className="form" onSubmit={(event) => void submit(event)}>
            <label>
              Tasks, a name on each line
              <textarea
                className="field lines"
                value={tasks}
                onChange={(event) => setTasks(event.target.value)}
                placeholder="one task"
                spellCheck={false}
              />
            </label>
            <label>
              Variables, NAME=value on each line
              <textarea
                className="field lines"
                value={variables}
                onChange={(event) => setVariables(event.target.value)}
                spellCheck={false}
              />
            </label>
            <label>
              Memory in MB
              <input
                className="field"
                inputMode="numeric"
                pattern="[0-9]*"
                value={memory}
                onChange={(event) => setMemory(event.target.value.trim())}
              />
            </label>
            <label>
              Time limit in seconds
              <input
                className="field"
                inputMode="numeric"
                pattern="[0-9]*"
                value={timeout}
                onChange={(event) => setTimeout(event.target.value.trim())}
              />
            </label>
            {problems.length > 0 && (
              <div className="problem" role="alert">
                {problems.map((problem) => (
                  <p key={problem}>{problem}</p>
                ))}
              </div>
            )}
            <div className="confirm-buttons">
              <Dialog.Close className="button">Cancel</Dialog.Close>
              <button type="submit" className="button primary" disabled={fetching}>
                Run it
              </button>
            </div>
          </form>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
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
    if (at < 1) return { problem: `“${line}”: write a variable as NAME=value.` };
    pairs.push([line.slice(0, at).trim(), line.slice(at + 1)]);
  }
  return { variables: Object.fromEntries(pairs) };
}
