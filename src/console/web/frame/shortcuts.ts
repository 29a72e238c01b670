// Keyboard shortcuts. Views add their own while they are shown.
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { kindNames, kinds } from '../kinds/kinds.js';
import { signOut } from '../session/session.js';
import { accountPlaces, generalPlaces, workspacePlaces } from './views.js';
import { setTheme } from './theme.js';

export interface Action {
  title: string;
  group: string;
  /** A key sequence, such as ['g', 'a']; empty for actions of the palette only. */
  keys: readonly string[];
  run: () => void;
}

const sequenceMs = 1_000;
const viewActions = new Set<readonly Action[]>();
const listeners = new Set<() => void>();
let snapshot: readonly Action[] = [];

function publish(): void {
  snapshot = [...viewActions].flat();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Adds the actions of a view to the palette and the shortcuts while it is shown. Memoise the actions. */
export function useViewActions(actions: readonly Action[]): void {
  useEffect(() => {
    viewActions.add(actions);
    publish();
    return () => {
      viewActions.delete(actions);
      publish();
    };
  }, [actions]);
}

export interface Shortcuts {
  actions: readonly Action[];
  isPaletteOpen: boolean;
  setPaletteOpen: (isOpen: boolean) => void;
  isSheetOpen: boolean;
  setSheetOpen: (isOpen: boolean) => void;
}

const goKeys = { agents: 'a', sandboxes: 's', jobs: 'j', volumes: 'v', networks: 'n' } as const;

/** What an admin of an account can create, with the view that has its dialog. */
const newPlaces = [
  { title: 'Invite member', to: '/a/$account/members' },
  { title: 'Create API key', to: '/a/$account/access' },
  { title: 'Create budget', to: '/a/$account/budgets' },
] as const;

/**
 * @param canChange whether the user may create resources in the workspace
 * @param isAccountAdmin whether the user is an admin of the account
 */
export function useShortcuts(
  workspace: string | undefined,
  account: string | undefined,
  canChange: boolean,
  isAccountAdmin: boolean,
): Shortcuts {
  const navigate = useNavigate();
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const [isSheetOpen, setSheetOpen] = useState(false);
  const ofView = useSyncExternalStore(subscribe, () => snapshot);
  const actions = useMemo(() => {
    const go = (title: string, key: string, run: () => void): Action => ({
      title,
      group: 'Go to',
      keys: ['g', key],
      run,
    });
    const views: Action[] = [];
    if (workspace !== undefined) {
      views.push(go('Overview', 'o', () => void navigate({ to: '/w/$workspace', params: { workspace } })));
      for (const kind of kindNames) {
        views.push(
          go(kinds[kind].many, goKeys[kind], () => {
            void navigate({ to: '/w/$workspace/$kind', params: { workspace, kind } });
          }),
        );
      }
      for (const { to, title, key } of workspacePlaces) {
        views.push(go(title, key, () => void navigate({ to, params: { workspace } })));
      }
    }
    const known = new Set(ofView.map(({ title }) => title));
    const creations = (workspace === undefined || !canChange ? [] : kindNames)
      .map((kind): Action => ({
        title: `Create ${kinds[kind].one}`,
        group: 'Create',
        keys: [],
        run: () =>
          void navigate({
            to: '/w/$workspace/$kind',
            params: { workspace: workspace ?? '', kind },
            search: { new: true },
          }),
      }))
      .filter(({ title }) => !known.has(title));
    if (account !== undefined) {
      for (const { to, title, key } of accountPlaces) {
        views.push(go(title, key, () => void navigate({ to, params: { account } })));
      }
    }
    const ofAccount: Action[] =
      account === undefined || !isAccountAdmin
        ? []
        : newPlaces.map(({ title, to }) => ({
            title,
            group: 'Create',
            keys: [],
            run: () => void navigate({ to, params: { account }, search: { new: true } }),
          }));
    for (const { to, title, key } of generalPlaces) views.push(go(title, key, () => void navigate({ to })));
    const general: Action[] = [
      { title: 'Keyboard shortcuts', group: 'Console', keys: ['?'], run: () => setSheetOpen(true) },
      { title: 'Light theme', group: 'Console', keys: [], run: () => setTheme('light') },
      { title: 'Dark theme', group: 'Console', keys: [], run: () => setTheme('dark') },
      { title: 'System theme', group: 'Console', keys: [], run: () => setTheme('system') },
      { title: 'Sign out', group: 'Console', keys: [], run: () => void signOut() },
    ];
    return [...ofView, ...views, ...creations, ...ofAccount, ...general];
  }, [navigate, workspace, account, ofView, canChange, isAccountAdmin]);

  // If the view changes between two keys of a sequence, its new actions must not end the sequence.
  const latest = useRef(actions);
  useEffect(() => {
    latest.current = actions;
  });
  useEffect(() => {
    let pressed: string[] = [];
    let pressedAtMs = 0;
    const onKey = (event: KeyboardEvent) => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        // The palette navigates, which would discard the entries of an open dialog.
        if (!isInDialog(event.target)) setPaletteOpen(true);
        return;
      }
      if (event.metaKey || event.ctrlKey || event.altKey || isBusy(event.target)) return;
      if (event.timeStamp - pressedAtMs > sequenceMs) pressed = [];
      pressed = [...pressed, event.key];
      pressedAtMs = event.timeStamp;
      const isStart = ({ keys }: Action) => keys.length > 0 && pressed.every((key, index) => keys[index] === key);
      const candidates = latest.current.filter(isStart);
      const hit = candidates.find(({ keys }) => keys.length === pressed.length);
      if (hit !== undefined) {
        event.preventDefault();
        pressed = [];
        hit.run();
      } else if (candidates.length === 0) pressed = [];
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);

  return { actions, isPaletteOpen, setPaletteOpen, isSheetOpen, setSheetOpen };
}

function isInDialog(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('[role=dialog], [role=alertdialog]') !== null;
}

/** Whether the user is typing or has a dialog or menu open, so that keys are not shortcuts. */
function isBusy(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    isInDialog(target) ||
    target.closest('input, textarea, select, [contenteditable], [role=menu], [role=listbox]') !== null
  );
}
