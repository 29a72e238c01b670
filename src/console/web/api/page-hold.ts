// While a dialog with a form is open, the page behind it is not read again: the dialog belongs to an object of the page, and
// would close, with its entries, if another user deleted the object.

const holdListeners = new Set<() => void>();
const listeners = new Set<() => void>();
let holdCount = 0;

/** Holds the page as it is. @returns ends it. */
export function holdPage(): () => void {
  holdCount += 1;
  for (const listener of holdListeners) listener();
  return () => {
    holdCount -= 1;
    if (holdCount > 0) return;
    for (const listener of listeners) listener();
  };
}

export function isPageHeld(): boolean {
  return holdCount > 0;
}

/** Calls when the page is held. */
export function onPageHeld(listener: () => void): () => void {
  holdListeners.add(listener);
  return () => {
    holdListeners.delete(listener);
  };
}

/** Calls when the page is no longer held. */
export function onPageReleased(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}
