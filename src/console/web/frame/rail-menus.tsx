import { Combobox } from '@base-ui/react/combobox';
import { Menu } from '@base-ui/react/menu';
import { useNavigate } from '@tanstack/react-router';
import { useState, useSyncExternalStore } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { client } from '../api/client.js';
import { LazyCreateDialog } from '../editing/create-button.js';
import { MoreOptions } from '../look/finder.js';
import { firstOptions } from '../look/first-options.js';
import { Icon } from '../look/icon.js';
import { stayOpen } from '../look/stay-open.js';
import { signIn, signOut } from '../session/session.js';
import { AccountMark, PlaceLabel } from './menu-label.js';
import { currentTheme, onThemeChange, setTheme, themes } from './theme.js';
import { titleOf, useViewer, viewerQuery } from './viewer.js';

/** The user menu, with the theme. */
export function ViewerMenu({ title }: { title: string }): ReactElement {
  const viewer = useViewer();
  const theme = useSyncExternalStore(onThemeChange, currentTheme);
  const navigate = useNavigate();
  return (
    <PlaceMenu title={title} mark={<AccountMark title={title} />}>
      <Menu.Group>
        <Menu.GroupLabel className="group-label">
          <bdi>{viewer.displayName ?? viewer.name}</bdi>
          <br />
          {viewer.displayName === null ? '' : viewer.name}
        </Menu.GroupLabel>
        <Menu.Item onClick={() => void navigate({ to: '/profile' })}>Profile</Menu.Item>
        <Menu.Item onClick={() => void signIn({ chooseAccount: true })}>Switch account…</Menu.Item>
        <Menu.Item onClick={() => void signOut()}>Sign out</Menu.Item>
      </Menu.Group>
      <Menu.Separator render={<hr />} />
      <Menu.RadioGroup value={theme} onValueChange={setTheme} aria-label="Theme">
        {themes.map((each) => (
          <OneOf key={each} value={each}>
            {{ system: 'System theme', light: 'Light theme', dark: 'Dark theme' }[each]}
          </OneOf>
        ))}
      </Menu.RadioGroup>
    </PlaceMenu>
  );
}

/** The workspace switcher: searches the workspaces, and creates one. */
export function WorkspaceMenu({ current, title }: { current: string | undefined; title: string }): ReactElement {
  const viewer = useViewer();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const [isCreating, setCreating] = useState(false);
  const isAdmin = viewer.accounts.some(({ viewerRole }) => viewerRole === 'ADMIN');
  const open = (workspace: string) => void navigate({ to: '/w/$workspace', params: { workspace } });
  type Workspace = (typeof viewer.workspaces)[number];
  const textOf = (each: Workspace) => `${titleOf(each)} ${each.name}`;
  const { contains } = Combobox.useFilter();
  const [typed, setTyped] = useState('');
  const { shown, hiddenCount } = firstOptions(
    viewer.workspaces.filter((each) => contains(each, typed.trim(), textOf)),
    ({ name }) => name === current,
  );
  return (
    <>
      <Combobox.Root
        autoHighlight
        open={isOpen}
        onOpenChange={(next, change) => {
          stayOpen(next, change);
          if (!change.isCanceled) setOpen(next);
        }}
        items={shown}
        filter={null}
        onInputValueChange={setTyped}
        value={viewer.workspaces.find(({ name }) => name === current) ?? null}
        itemToStringLabel={textOf}
        isItemEqualToValue={(one: Workspace, other: Workspace) => one.name === other.name}
        onValueChange={(next: Workspace | null) => {
          if (next !== null) open(next.name);
        }}
      >
        <Combobox.Trigger className="place-button" aria-label={`Workspace ${title}`}>
          <PlaceLabel title={title} />
        </Combobox.Trigger>
        <Combobox.Portal>
          <Combobox.Positioner className="positioner" sideOffset={4} align="start">
            <Combobox.Popup className="popup finder" aria-label="Workspaces">
              <div className="finder-input">
                <Icon name="search" />
                <Combobox.Input placeholder="Find a workspace" aria-label="Find a workspace" />
              </div>
              <Combobox.Empty>
                <p className="finder-empty quiet">No matches.</p>
              </Combobox.Empty>
              <Combobox.List className="finder-list">
                {(each: Workspace) => (
                  <Combobox.Item key={each.name} value={each}>
                    <span>
                      <bdi>{titleOf(each)}</bdi>
                      <br />
                      <span className="quiet mono">{each.name}</span>
                    </span>
                    <Combobox.ItemIndicator className="end">
                      <Icon name="check" />
                    </Combobox.ItemIndicator>
                  </Combobox.Item>
                )}
              </Combobox.List>
              <MoreOptions count={hiddenCount} />
              {isAdmin && (
                <div className="finder-foot">
                  <button
                    type="button"
                    className="button bare"
                    onClick={() => {
                      setOpen(false);
                      setCreating(true);
                    }}
                  >
                    Create workspace…
                  </button>
                </div>
              )}
            </Combobox.Popup>
          </Combobox.Positioner>
        </Combobox.Portal>
      </Combobox.Root>
      {isCreating && (
        <LazyCreateDialog
          type="Workspace"
          scope={{}}
          onClose={() => setCreating(false)}
          onCreated={(name) => {
            setCreating(false);
            // The new workspace must be known before its views open.
            void client
              .query(viewerQuery, {}, { requestPolicy: 'network-only' })
              .toPromise()
              .then(() => open(name));
          }}
        />
      )}
    </>
  );
}

interface PlaceMenuProps {
  title: string;
  mark?: ReactNode;
  children: ReactNode;
}

function PlaceMenu({ title, mark, children }: PlaceMenuProps): ReactElement {
  return (
    <Menu.Root onOpenChange={stayOpen}>
      <Menu.Trigger className="place-button">
        <PlaceLabel title={title} mark={mark} />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className="positioner" sideOffset={4} align="start">
          <Menu.Popup className="popup">{children}</Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

function OneOf({ value, children }: { value: string; children: ReactNode }): ReactElement {
  return (
    <Menu.RadioItem value={value} closeOnClick>
      {children}
      <Menu.RadioItemIndicator className="end">
        <Icon name="check" />
      </Menu.RadioItemIndicator>
    </Menu.RadioItem>
  );
}
