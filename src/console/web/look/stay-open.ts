/** The part of Base UI's event that says why a popup opens or closes. */
interface OpenChange {
  reason: string;
  cancel: () => void;
}

/**
 * The `onOpenChange` of menus and selects. They open when the mouse button goes down, and Base UI closes them if it is
 * released elsewhere: also if a later answer moves the page below a mouse that stands still.
 */
export function stayOpen(_isOpen: boolean, change: OpenChange): void {
  if (change.reason === 'cancel-open') change.cancel();
}
