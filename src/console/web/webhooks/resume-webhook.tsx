import { AlertDialog } from '@base-ui/react/alert-dialog';
import { useState } from 'react';
import type { ReactElement } from 'react';

interface ResumeWebhookProps {
  name: string;
  /** @returns why it did not go on. */
  resume: (skipMissed: boolean) => Promise<string | undefined>;
  onDone: () => void;
}

/** Has a webhook go on, and asks what becomes of what it missed. */
export function ResumeWebhook({ name, resume, onDone }: ResumeWebhookProps): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const goOn = async (skipMissed: boolean) => {
    setBusy(true);
    const why = await resume(skipMissed);
    setBusy(false);
    setProblem(why);
    if (why !== undefined) return;
    setOpen(false);
    onDone();
  };
  return (
    <AlertDialog.Root open={isOpen} onOpenChange={setOpen}>
      <AlertDialog.Trigger className="button primary">Resume…</AlertDialog.Trigger>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="backdrop" />
        <AlertDialog.Popup className="confirm">
          <AlertDialog.Title render={<h2 />}>Have {name} go on?</AlertDialog.Title>
          <AlertDialog.Description>
            What happened while it was paused can be sent first, in its order and as far as the history is kept, or be
            left out for good.
          </AlertDialog.Description>
          {problem !== undefined && (
            <p className="problem" role="alert">
              {problem}
            </p>
          )}
          <div className="confirm-buttons wrapping">
            <AlertDialog.Close className="button">Not yet</AlertDialog.Close>
            <button type="button" className="button" disabled={isBusy} onClick={() => void goOn(true)}>
              Leave it out
            </button>
            <button type="button" className="button primary" disabled={isBusy} onClick={() => void goOn(false)}>
              Send what it missed
            </button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
