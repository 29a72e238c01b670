import { AlertDialog } from '@base-ui/react/alert-dialog';
import { Dialog } from '@base-ui/react/dialog';
import { useBlocker, useRouterState } from '@tanstack/react-router';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { ReactElement, ReactNode, RefObject } from 'react';
import { holdPage } from '../api/page-hold.js';
import { pathPrefix } from '../session/settings.js';
import { useSession } from '../session/use-session.js';

interface EntryDialogProps {
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  /** The button that opens the dialog, if it belongs to it. */
  trigger?: ReactNode;
  /** Whether closing loses something. Default: whether anything was typed or ticked since the dialog opened. */
  hasEntries?: boolean;
  isWide?: boolean;
  popup?: RefObject<HTMLDivElement | null>;
  /** Selector of the element that gets the focus first. */
  focusFirst?: string;
  children: ReactNode;
}

/** A dialog in which something is entered. Escape, Cancel, Back and leaving the page ask before entries are lost. */
export function EntryDialog(props: EntryDialogProps): ReactElement {
  const { isOpen, onOpenChange, trigger, isWide = false, focusFirst, children } = props;
  const [isTyped, setTyped] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const ownPopup = useRef<HTMLDivElement>(null);
  const popup = props.popup ?? ownPopup;
  const hasEntries = isOpen && (props.hasEntries ?? isTyped);
  // Before the form asks anything.
  useLayoutEffect(() => (isOpen ? holdPage() : undefined), [isOpen]);
  const change = (next: boolean) => {
    setTyped(false);
    setAsking(false);
    onOpenChange(next);
  };
  const back = useBackQuestion(hasEntries, () => change(false));
  return (
    <Dialog.Root
      open={isOpen}
      onOpenChange={(next, { reason }) => {
        if (next || !hasEntries) change(next);
        // A stray click neither discards nor asks.
        else if (reason !== 'outside-press') setAsking(true);
      }}
    >
      {trigger}
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup
          ref={popup}
          className={isWide ? 'confirm wide' : 'confirm'}
          onInput={() => setTyped(true)}
          onKeyDownCapture={(event) => {
            if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
            event.preventDefault();
            event.stopPropagation();
            popup.current?.querySelector<HTMLElement>('.confirm-buttons > .primary')?.click();
          }}
          {...(focusFirst === undefined
            ? {}
            : { initialFocus: () => popup.current?.querySelector<HTMLElement>(focusFirst) ?? true })}
        >
          {children}
          <SessionPaused />
          <AlertDialog.Root
            open={isAsking || back !== undefined}
            onOpenChange={(next) => {
              setAsking(next);
              if (!next) back?.stay();
            }}
          >
            <AlertDialog.Portal>
              <AlertDialog.Backdrop className="backdrop" />
              <AlertDialog.Popup className="confirm">
                <AlertDialog.Title render={<h2 />}>Discard your entries?</AlertDialog.Title>
                <AlertDialog.Description>They are not saved.</AlertDialog.Description>
                <div className="confirm-buttons">
                  <AlertDialog.Close className="button">Keep editing</AlertDialog.Close>
                  <button
                    type="button"
                    className="button danger"
                    onClick={() => (back === undefined ? change(false) : back.leave())}
                  >
                    Discard
                  </button>
                </div>
              </AlertDialog.Popup>
            </AlertDialog.Portal>
          </AlertDialog.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Says why saving is paused, and how to continue with the entries. */
function SessionPaused(): ReactElement | null {
  const session = useSession();
  if (session.kind !== 'paused') return null;
  return (
    <p className="problem" role="alert">
      {session.reason} Your entries are still here
      {session.isOtherUser && ', and only the user who opened this form can save them'}:{' '}
      <a className="text-link" href={`${pathPrefix}/`} target="_blank" rel="noopener noreferrer">
        {session.isOtherUser ? 'switch the user in a new tab' : 'sign in in a new tab'}
      </a>
      , then continue.
    </p>
  );
}

/** The question whether to go back in the history of the browser although there are entries; undefined if none is asked. */
function useBackQuestion(hasEntries: boolean, close: () => void): { stay: () => void; leave: () => void } | undefined {
  // Once the view before is there. If the dialog still is, it belongs to both.
  const href = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.href });
  const leaving = useRef(false);
  const latest = useRef({ hasEntries, close });
  useEffect(() => {
    latest.current = { hasEntries, close };
  });
  const [shouldBlockFn] = useState(() => ({ action }: { action: string }) => {
    // Behind a dialog, only the browser's own buttons navigate, and the console itself after a saved entry.
    return latest.current.hasEntries && !['PUSH', 'REPLACE'].includes(action);
  });
  const blocked = useBlocker({
    shouldBlockFn,
    enableBeforeUnload: hasEntries,
    disabled: !hasEntries,
    withResolver: true,
  });
  useEffect(() => {
    if (leaving.current) latest.current.close();
    leaving.current = false;
  }, [href]);
  if (blocked.status !== 'blocked') return undefined;
  return {
    stay: blocked.reset,
    leave: () => {
      leaving.current = true;
      blocked.proceed();
    },
  };
}
