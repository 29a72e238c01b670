import { useEffect } from 'react';

/** Elements that take the focus in place of one that they contained. */
const places = 'section[aria-label], [role=dialog], [role=alertdialog], main';

/**
 * Moves the focus to the surrounding section when the focused element is removed, such as the row that was deleted or a link
 * that filters itself away. The browser would move it to the start of the page.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    let focused: Element | undefined;
    let around: Element[] = [];
    let aroundInView: Element[] = [];
    const note = ({ target }: FocusEvent) => {
      if (!(target instanceof Element)) return;
      focused = target;
      around = ancestorsOf(target);
      if (target.closest('main') !== null) aroundInView = around;
    };
    const forget = () => {
      if (document.activeElement === document.body) focused = undefined;
    };
    const isLost = () => focused?.isConnected === false && document.activeElement === document.body;
    const restore = () => {
      if (!isLost()) return;
      const place = [...around, ...aroundInView].find((each) => each.isConnected && each.matches(places));
      const isBehindDialog = document.querySelector('[aria-modal=true]')?.contains(place ?? null) === false;
      if (!(place instanceof HTMLElement) || isBehindDialog) return;
      if (!place.hasAttribute('tabindex')) place.tabIndex = -1;
      place.focus({ preventScroll: true });
    };
    // A dialog that closes returns the focus first.
    const observer = new MutationObserver(() => {
      if (isLost()) requestAnimationFrame(restore);
    });
    observer.observe(document.body, { childList: true, subtree: true });
    document.addEventListener('focusin', note);
    document.addEventListener('pointerup', forget);
    return () => {
      observer.disconnect();
      document.removeEventListener('focusin', note);
      document.removeEventListener('pointerup', forget);
    };
  }, []);
}

function ancestorsOf(element: Element): Element[] {
  const ancestors: Element[] = [];
  for (let each = element.parentElement; each !== null; each = each.parentElement) ancestors.push(each);
  return ancestors;
}
