// The theme: light, dark, or the system's. Stored in the browser.
export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const storageKey = 'console:theme';
const darkQuery = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

export function currentTheme(): Theme {
  const stored = localStorage.getItem(storageKey);
  return themes.find((theme) => theme === stored) ?? 'system';
}

export function setTheme(theme: Theme): void {
  localStorage.setItem(storageKey, theme);
  applyTheme();
  for (const listener of listeners) listener();
}

export function onThemeChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function applyTheme(): void {
  const theme = currentTheme();
  const isDark = theme === 'dark' || (theme === 'system' && darkQuery.matches);
  document.documentElement.className = isDark ? 'dark' : 'light';
}

darkQuery.addEventListener('change', applyTheme);
