import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { client } from '../api/client.js';
import { graphql } from '../api/graphql.js';
import type { ResultOf } from '../api/graphql.js';
import { isKind, kindNames, kinds } from '../kinds/kinds.js';
import { Icon } from '../look/icon.js';
import { capitalize } from '../look/labels.js';
import { ToneIcon } from '../look/state-mark.js';
import { lookOf, toneOf } from '../look/state.js';
import { recentResources } from './recent.js';
import type { Action } from './shortcuts.js';
import { titleOf, useViewer } from './viewer.js';
import './palette.css';

const findQuery = graphql(`
  query Find($workspace: String!, $search: String!) {
    workspace(name: $workspace) {
      id
      agents(first: 6, search: $search) {
        nodes {
          id
          status
          metadata {
            name
            displayName
          }
        }
      }
      sandboxes(first: 4, search: $search) {
        nodes {
          id
          status
          metadata {
            name
            displayName
          }
        }
      }
      jobs(first: 4, search: $search) {
        nodes {
          id
          status
          metadata {
            name
            displayName
          }
        }
      }
      volumes(first: 4, search: $search) {
        nodes {
          id
          status
          metadata {
            name
            displayName
          }
        }
      }
      networks: vpcs(first: 4, search: $search) {
        nodes {
          id
          status
          metadata {
            name
            displayName
          }
        }
      }
    }
  }
`);

interface PaletteItem {
  value: string;
  label: string;
  hint: string;
  keys: readonly string[];
  /** The state of a resource. */
  status?: string | null;
  run: () => void;
}

interface PaletteGroup {
  /** The heading of the group. */
  value: string;
  items: PaletteItem[];
  /** Whether the items are those of an earlier search. They cannot be chosen, because the next ones replace them. */
  isOld?: boolean;
}

interface PaletteProps {
  actions: readonly Action[];
  workspace: string | undefined;
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
}

const typingMs = 120;

/** Searches pages, actions, workspaces, and resources of the workspace by name or label. */
export function Palette({ actions, workspace, isOpen, onOpenChange }: PaletteProps): ReactElement {
  const [text, setText] = useState('');
  useEffect(() => {
    if (isOpen) setText('');
  }, [isOpen]);
  const query = text.trim().toLowerCase();
  const found = useFound(isOpen ? workspace : undefined, text.trim());
  const recent = useRecent(isOpen && query === '' ? workspace : undefined);
  const workspaces = useWorkspaces(query, workspace);
  const matching = [...useResourceActions(), ...actions].filter(
    ({ title, group }) => contains(`${group} ${title}`, query) && (query === '' || sharesWord(title, query)),
  );
  const isNamed = ({ label, hint }: PaletteItem) => {
    const searched = found.search.toLowerCase();
    return contains(label, searched) || contains(hint, searched);
  };
  const groups = (
    query === ''
      ? [
          ...groupsOf(matching.filter(({ group }) => !generalGroups.includes(group))),
          { value: 'Recent', items: recent },
          ...groupsOf(matching.filter(({ group }) => generalGroups.includes(group))),
        ]
      : [
          // What is called so comes before what only has a label that is called so.
          ...groupsOf(matching),
          { value: 'Workspaces', items: workspaces },
          { value: 'Resources', items: found.items.filter(isNamed), isOld: found.isOld },
          {
            value: 'Resources with this label',
            items: found.items.filter((item) => !isNamed(item)),
            isOld: found.isOld,
          },
        ]
  ).filter(({ items }) => items.length > 0);
  return (
    <Dialog.Root open={isOpen} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="palette" aria-label="Search or run a command">
          <Autocomplete.Root
            open
            inline
            items={groups}
            itemToStringValue={(item: PaletteItem) => item.label}
            value={text}
            onValueChange={(value, details) => {
              if (details.reason !== 'item-press') setText(value);
            }}
            filter={null}
            autoHighlight="always"
            keepHighlight
          >
            <div className="palette-input">
              <Icon name="search" />
              <Autocomplete.Input
                placeholder="Search pages, workspaces and resources, or run a command"
                aria-label="Search or run a command"
              />
            </div>
            <Autocomplete.Empty className="palette-empty quiet">
              {found.isOld ? 'Searching…' : found.hasFailed ? 'The search failed. Try again.' : 'No matches.'}
            </Autocomplete.Empty>
            <Autocomplete.List className="palette-list">
              {(group: PaletteGroup) => (
                <Autocomplete.Group
                  key={group.value}
                  items={group.items}
                  className={group.isOld === true ? 'older' : ''}
                  aria-busy={group.isOld === true}
                >
                  <Autocomplete.GroupLabel className="palette-group">{group.value}</Autocomplete.GroupLabel>
                  <Autocomplete.Collection>
                    {(item: PaletteItem) => (
                      <Autocomplete.Item
                        key={item.value}
                        value={item}
                        disabled={group.isOld === true}
                        className="palette-item"
                        onClick={() => {
                          onOpenChange(false);
                          item.run();
                        }}
                      >
                        <span className="palette-label">
                          {item.status != null && <ToneIcon tone={toneOf(item.status)} />}
                          <span className="cut" title={item.label}>
                            {item.label}
                          </span>
                        </span>
                        <span className="quiet cut" title={item.hint}>
                          {item.hint}
                        </span>
                        <span className="keys">
                          {item.keys.map((key) => (
                            <kbd key={key}>{key}</kbd>
                          ))}
                        </span>
                      </Autocomplete.Item>
                    )}
                  </Autocomplete.Collection>
                </Autocomplete.Group>
              )}
            </Autocomplete.List>
          </Autocomplete.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Whether a text has all words of a query. */
function contains(text: string, query: string): boolean {
  const lower = text.toLowerCase();
  return query.split(/\s+/).every((word) => lower.includes(word));
}

/** Whether a text has at least one of the words of a query. */
function sharesWord(text: string, query: string): boolean {
  const lower = text.toLowerCase();
  return query.split(/\s+/).some((word) => lower.includes(word));
}

/** The other workspaces that are called so. */
function useWorkspaces(query: string, current: string | undefined): PaletteItem[] {
  const navigate = useNavigate();
  return useViewer()
    .workspaces.filter((each) => each.name !== current && contains(`${each.name} ${each.displayName ?? ''}`, query))
    .slice(0, workspacesMax)
    .map((each) => ({
      value: `workspace ${each.name}`,
      label: titleOf(each),
      hint: `workspace ${each.name}`,
      keys: [],
      run: () => void navigate({ to: '/w/$workspace', params: { workspace: each.name } }),
    }));
}

const workspacesMax = 6;

/** The groups of every view, in the order of the shortcut sheet. */
const generalGroups: readonly string[] = ['Go to', 'Create', 'Console'];

function groupsOf(actions: readonly Action[]): PaletteGroup[] {
  const groups = new Map<string, PaletteItem[]>();
  for (const { title, group, keys, run } of actions) {
    const item = { value: `${group} ${title}`, label: title, hint: '', keys, run };
    groups.set(group, [...(groups.get(group) ?? []), item]);
  }
  return [...groups].map(([value, items]) => ({ value, items }));
}

/** What can be done with the resource of the page, beside its own actions. */
function useResourceActions(): Action[] {
  const navigate = useNavigate();
  const { workspace, kind, name } = useParams({ strict: false });
  const account = useViewer().workspaces.find((each) => each.name === workspace)?.account.name;
  if (workspace === undefined || kind === undefined || name === undefined || !isKind(kind)) return [];
  const group = `${capitalize(kinds[kind].one)} ${name}`;
  const act = (title: string, run: () => void): Action => ({ title, group, keys: [], run });
  const type = kinds[kind].billedAs;
  return [
    act('Copy name', () => void navigator.clipboard.writeText(name)),
    act('Copy URL', () => void navigator.clipboard.writeText(location.href)),
    act(
      'View activity',
      () => void navigate({ to: '/w/$workspace/activity', params: { workspace }, search: { name } }),
    ),
    ...(type === undefined || account === undefined
      ? []
      : [
          act(
            'View costs',
            () => void navigate({ to: '/a/$account/costs', params: { account }, search: { workspace, type, name } }),
          ),
        ]),
  ];
}

/** The resources that were opened last in the workspace, without the one of the page. */
function useRecent(workspace: string | undefined): PaletteItem[] {
  const navigate = useNavigate();
  const { name: here } = useParams({ strict: false });
  if (workspace === undefined) return [];
  return recentResources()
    .filter((each) => each.workspace === workspace && each.name !== here)
    .map(({ kind, name }) => ({
      value: `recent ${kind} ${name}`,
      label: name,
      hint: kinds[kind].one,
      keys: [],
      run: () => void navigate({ to: '/w/$workspace/$kind/$name', params: { workspace, kind, name } }),
    }));
}

interface FoundResources {
  /** The search that found the items. */
  search: string;
  items: PaletteItem[];
  /** Whether the response to the current search has not arrived yet. */
  isOld: boolean;
  hasFailed: boolean;
}

function useFound(workspace: string | undefined, search: string): FoundResources {
  const navigate = useNavigate();
  const [answer, setAnswer] = useState<{
    search: string;
    found: ResultOf<typeof findQuery>['workspace'] | undefined;
  }>();
  const isSearching = workspace !== undefined && search.length >= 2;
  useEffect(() => {
    if (!isSearching) {
      setAnswer(undefined);
      return undefined;
    }
    let isCurrent = true;
    const find = async () => {
      const variables = { workspace, search };
      const { data } = await client.query(findQuery, variables, { requestPolicy: 'network-only' }).toPromise();
      if (isCurrent) setAnswer({ search, found: data?.workspace });
    };
    const timer = setTimeout(() => void find(), typingMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [workspace, search, isSearching]);
  if (!isSearching) return { search, items: [], isOld: false, hasFailed: false };
  const items = kindNames.flatMap((kind) =>
    (answer?.found?.[kind]?.nodes ?? []).map(({ id, status, metadata: { name, displayName } }) => ({
      value: id,
      label: name,
      hint: [kinds[kind].one, displayName, status === null ? null : lookOf(status).word]
        .filter((part) => part !== null)
        .join(' · '),
      keys: [],
      status,
      run: () => void navigate({ to: '/w/$workspace/$kind/$name', params: { workspace, kind, name } }),
    })),
  );
  return {
    search: answer?.search ?? search,
    items,
    isOld: answer?.search !== search,
    hasFailed: answer !== undefined && answer.found === undefined,
  };
}
