// What this page itself has changed: whatever counts or lists it asks again at once, not only when its time comes.

const togetherMs = 300;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setTimeout> | undefined;

/** Says that something was changed. Several in a row are told as one. */
export function noteChange(): void {
  clearTimeout(timer);
  timer = setTimeout(() => {
    for (const listener of listeners) listener();
  }, togetherMs);
}

export function onChangesMade(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
