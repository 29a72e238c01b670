import { AlertDialog } from '@base-ui/react/alert-dialog';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { Problems } from '../look/problems.js';
import { BusyButton } from '../look/busy-button.js';

interface ResumeWebhookProps {
  name: string;
  /** @returns an error message, or undefined on success. */
  resume: (skipMissed: boolean) => Promise<string | undefined>;
  onDone: () => void;
}

/** Resumes a webhook, after asking whether to send missed changes. */
export function ResumeWebhook({ name, resume, onDone }: ResumeWebhookProps): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const confirm = async (skipMissed: boolean) => {
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
          <AlertDialog.Title render={<h2 />}>Resume {name}?</AlertDialog.Title>
          <AlertDialog.Description>
            Changes made while the webhook was paused can be sent first, within the retention period, or skipped
            permanently.
          </AlertDialog.Description>
          <Problems text={problem} />
          <div className="confirm-buttons wrapping">
            <AlertDialog.Close className="button">Cancel</AlertDialog.Close>
            <BusyButton className="button" isBusy={isBusy} onClick={() => void confirm(true)}>
              Skip missed changes
            </BusyButton>
            <BusyButton className="button primary" isBusy={isBusy} onClick={() => void confirm(false)}>
              Send missed changes
            </BusyButton>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
