// Short messages about a change that was made, with Undo. They disappear by themselves, but not while they are pointed at
// or have the focus. F6 moves the focus to them.
import { Toast } from '@base-ui/react/toast';

export const toastManager = Toast.createToastManager();

/** Long enough to read it and to reach the button. */
const shownMs = 12_000;

/** The inverse of a change. @returns why it failed; undefined on success */
export type Undo = () => Promise<string | undefined>;

let noteRegion: (() => void) | undefined;
/** The region of toasts is loaded after the view. A message that was added before would be lost. */
const region = new Promise<void>((resolve) => {
  noteRegion = resolve;
});

/** Shows the messages that waited for the region of toasts. */
export function regionIsShown(): void {
  noteRegion?.();
}

/** Shows what was done. With `undo`, the message has a button that reverts it and reports the outcome. */
export function showToast(title: string, undo?: Undo): void {
  void region.then(() => addToast(title, undo));
}

function addToast(title: string, undo: Undo | undefined): void {
  const id = toastManager.add({
    title,
    timeout: shownMs,
    ...(undo === undefined ? {} : { actionProps: undoButton() }),
  });

  function undoButton() {
    return {
      children: 'Undo',
      onClick: () => {
        toastManager.close(id);
        if (undo !== undefined) void revert(title, undo);
      },
    };
  }
}

async function revert(title: string, undo: Undo): Promise<void> {
  const why = await undo();
  if (why === undefined) toastManager.add({ title: 'Undone', description: title, timeout: shownMs });
  else toastManager.add({ title: 'Could not undo', description: why, type: 'failure', priority: 'high', timeout: 0 });
}
