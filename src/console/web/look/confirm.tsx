import { AlertDialog } from '@base-ui/react/alert-dialog';
import { useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import type { DialogControl } from './row-menu.js';
import { Problems } from './problems.js';
import { BusyButton } from './busy-button.js';

interface ConfirmProps {
  /** The label of the button that opens the dialog. Without one, `control` opens it. */
  trigger?: string;
  control?: DialogControl;
  /** The accessible name of that button, if its context is not enough. */
  label?: string;
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

/** Asks for confirmation before an irreversible action. */
export function Confirm({
  trigger,
  label,
  title,
  children,
  confirm,
  keep,
  isDestructive = true,
  run,
  control,
}: ConfirmProps): ReactElement {
  const [isOpenItself, setOpenItself] = useState(false);
  const { isOpen, onOpenChange: setOpen } = control ?? { isOpen: isOpenItself, onOpenChange: setOpenItself };
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
      {trigger !== undefined && (
        <AlertDialog.Trigger className={isDestructive ? 'button destructive' : 'button'} aria-label={label}>
          {trigger}
        </AlertDialog.Trigger>
      )}
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="backdrop" />
        <AlertDialog.Popup className="confirm">
          <AlertDialog.Title render={<h2 />}>{title}</AlertDialog.Title>
          <AlertDialog.Description render={<div />}>{children}</AlertDialog.Description>
          <Problems text={problem} />
          <div className="confirm-buttons">
            <AlertDialog.Close className="button">{keep}</AlertDialog.Close>
            <BusyButton
              className={isDestructive ? 'button danger' : 'button primary'}
              isBusy={isRunning}
              onClick={() => void act()}
            >
              {confirm}
            </BusyButton>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
