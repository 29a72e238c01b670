import { Dialog } from '@base-ui/react/dialog';
import { useBlocker } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { ReactElement } from 'react';
import { holdPage } from '../api/page-hold.js';
import { CopyButton } from '../look/copy-button.js';
import { capitalize } from '../look/labels.js';
import { OldSecret } from './old-secret.js';

const kinds = {
  key: { word: 'key', what: 'Copy the key now. It is not shown again.' },
  webhook: {
    word: 'secret',
    what: 'Use the secret to verify webhook signatures. Copy it now. It is not shown again.',
  },
  client: {
    word: 'secret',
    what: 'The client exchanges the secret for tokens. Copy it now. It is not shown again.',
  },
} as const;

export interface ShownSecret {
  /** The name of its owner. */
  name: string;
  text: string;
  /** After a rotation, when the previous one stops working. */
  previousExpiresAt?: string | null;
}

interface SecretDialogProps {
  of: keyof typeof kinds;
  secret: ShownSecret | undefined;
  onClose: () => void;
}

/** Shows a new key or secret once. */
export function SecretDialog({ of, secret, onClose }: SecretDialogProps): ReactElement {
  const { word, what } = kinds[of];
  const isShown = secret !== undefined;
  useEffect(() => (isShown ? holdPage() : undefined), [isShown]);
  // The secret cannot be shown again: Back and leaving the page do not discard it.
  useBlocker({
    shouldBlockFn: ({ action }) => !['PUSH', 'REPLACE'].includes(action),
    enableBeforeUnload: isShown,
    disabled: !isShown,
  });
  return (
    <Dialog.Root
      open={isShown}
      onOpenChange={(isOpen, { reason }) => {
        // Nor do Escape and a click outside the dialog.
        if (!isOpen && reason === 'close-press') onClose();
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="confirm">
          <Dialog.Title render={<h2 />}>
            {capitalize(word)} for {secret?.name}
          </Dialog.Title>
          <Dialog.Description className="quiet">{what}</Dialog.Description>
          <p className="secret">
            <code>{secret?.text}</code>
            <CopyButton text={secret?.text ?? ''} label={`Copy ${word}`} />
          </p>
          <p>
            <OldSecret expiresAt={secret?.previousExpiresAt} />
          </p>
          <div className="confirm-buttons">
            <Dialog.Close className="button primary">Done</Dialog.Close>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
