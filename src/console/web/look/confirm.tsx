import { AlertDialog } from '@base-ui/react/alert-dialog';
import { useState } from 'react';
import type { ReactElement, ReactNode } from 'react';

interface ConfirmProps {
  /** What stands on the button that opens it. */
  trigger: string;
  /** What the button says to who does not see what it stands beside. */
  label?: string;
  title: string;
  /** What goes with it. */
  children: ReactNode;
  confirm: string;
  keep: string;
  /** @returns why it did not work, for people; undefined when it did. */
  run: () => Promise<string | undefined>;
}

/** Asks once before what cannot be undone. */
export function Confirm({ trigger, label, title, children, confirm, keep, run }: ConfirmProps): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const [isRunning, setRunning] = useState(false);
  const [problem, setProblem] = useState<string>();
  const act = async () => {
    setRunning(true);
    const failed = await run();
    setRunning(false);
    setProblem(failed);
    if (failed === undefined) setOpen(false);
  };
  return (
    <AlertDialog.Root
      open={isOpen}
      onOpenChange={(next) => {
        setOpen(next);
        setProblem(undefined);
      }}
    >
      <AlertDialog.Trigger className="button" aria-label={label}>
        {trigger}
      </AlertDialog.Trigger>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="backdrop" />
        <AlertDialog.Popup className="confirm">
          <AlertDialog.Title render={<h2 />}>{title}</AlertDialog.Title>
          <AlertDialog.Description render={<div />}>{children}</AlertDialog.Description>
          {problem !== undefined && (
            <p className="problem" role="alert">
              {problem}
            </p>
          )}
          <div className="confirm-buttons">
            <AlertDialog.Close className="button">{keep}</AlertDialog.Close>
            <button type="button" className="button primary" disabled={isRunning} onClick={() => void act()}>
              {confirm}
            </button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
