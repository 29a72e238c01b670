import { AlertDialog } from '@base-ui/react/alert-dialog';
import { useState } from 'react';
import type { ReactElement, ReactNode } from 'react';

interface ConfirmDialogProps {
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  title: string;
  /** The consequences. */
  children: ReactNode;
  confirm: string;
  keep: string;
  /** Whether something is lost (default: true). Its button is red. */
  isDestructive?: boolean;
  /** @returns an error message, or undefined on success. */
  run: () => Promise<string | undefined>;
}

interface ConfirmProps extends Omit<ConfirmDialogProps, 'isOpen' | 'onOpenChange'> {
  /** The label of the button that opens the dialog. */
  trigger: string;
  /** The accessible name of that button, if its context is not enough. */
  label?: string;
}

/** A button that asks for confirmation before an irreversible action. */
export function Confirm({ trigger, label, ...asked }: ConfirmProps): ReactElement {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className={asked.isDestructive === false ? 'button' : 'button destructive'}
        aria-label={label}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        {trigger}
      </button>
      <ConfirmDialog {...asked} isOpen={isOpen} onOpenChange={setOpen} />
    </>
  );
}

/** The confirmation of an irreversible action that was chosen elsewhere, such as in a menu. */
export function ConfirmDialog({
  isOpen,
  onOpenChange,
  title,
  children,
  confirm,
  keep,
  isDestructive = true,
  run,
}: ConfirmDialogProps): ReactElement {
  const [isRunning, setRunning] = useState(false);
  const [problem, setProblem] = useState<string>();
  const act = async () => {
    setRunning(true);
    const failed = await run();
    setRunning(false);
    setProblem(failed);
    if (failed === undefined) onOpenChange(false);
  };
  return (
    <AlertDialog.Root
      open={isOpen}
      onOpenChange={(next) => {
        onOpenChange(next);
        setProblem(undefined);
      }}
    >
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
            <button
              type="button"
              className={isDestructive ? 'button danger' : 'button primary'}
              disabled={isRunning}
              onClick={() => void act()}
            >
              {confirm}
            </button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
