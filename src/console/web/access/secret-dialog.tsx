import { Dialog } from '@base-ui/react/dialog';
import type { ReactElement } from 'react';
import { CopyButton } from '../look/copy-button.js';

const kinds = {
  key: { word: 'key', what: 'It is not shown again: keep it where the program finds it.' },
  webhook: {
    word: 'secret',
    what: 'What is sent is signed with it. It is not shown again: give it to the receiver now.',
  },
  client: {
    word: 'secret',
    what: 'The client trades it for tokens. It is not shown again: keep it where the program finds it.',
  },
} as const;

export interface ShownSecret {
  /** Of what it belongs to. */
  name: string;
  text: string;
}

interface SecretDialogProps {
  of: keyof typeof kinds;
  secret: ShownSecret | undefined;
  onClose: () => void;
}

/** The one time that a key or a secret can be seen. */
export function SecretDialog({ of, secret, onClose }: SecretDialogProps): ReactElement {
  const { word, what } = kinds[of];
  return (
    <Dialog.Root
      open={secret !== undefined}
      onOpenChange={(isOpen, { reason }) => {
        // The secret cannot be shown again: neither Escape nor a click beside the dialog may discard it.
        if (!isOpen && reason === 'close-press') onClose();
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="confirm">
          <Dialog.Title render={<h2 />}>
            The {word} for {secret?.name}
          </Dialog.Title>
          <Dialog.Description className="quiet">{what}</Dialog.Description>
          <p className="secret">
            <code>{secret?.text}</code>
            <CopyButton text={secret?.text ?? ''} label={`Copy the ${word}`} />
          </p>
          <div className="confirm-buttons">
            <Dialog.Close className="button primary">Done</Dialog.Close>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
