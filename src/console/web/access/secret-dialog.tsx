import { Dialog } from '@base-ui/react/dialog';
import type { ReactElement } from 'react';
import { CopyButton } from '../look/copy-button.js';

const words = {
  key: 'It is not shown again: keep it where the program finds it.',
  secret: 'What is sent is signed with it. It is not shown again: give it to the receiver now.',
} as const;

interface SecretDialogProps {
  what: keyof typeof words;
  secret: { name: string; text: string } | undefined;
  onClose: () => void;
}

/** The one time that a key or a secret can be seen. */
export function SecretDialog({ what, secret, onClose }: SecretDialogProps): ReactElement {
  return (
    <Dialog.Root
      open={secret !== undefined}
      onOpenChange={(isOpen, { reason }) => {
        // It cannot be had again: a slip of the mouse must not lose it.
        if (!isOpen && reason !== 'outside-press') onClose();
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="confirm">
          <Dialog.Title render={<h2 />}>
            The {what} for {secret?.name}
          </Dialog.Title>
          <Dialog.Description className="quiet">{words[what]}</Dialog.Description>
          <p className="secret">
            <code>{secret?.text}</code>
            <CopyButton text={secret?.text ?? ''} label={`Copy the ${what}`} />
          </p>
          <div className="confirm-buttons">
            <Dialog.Close className="button primary">I have kept it</Dialog.Close>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
