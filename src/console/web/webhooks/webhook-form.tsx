import { changeKinds, changeActions } from 'virtual:change-enums';
import type { ReactElement } from 'react';
import { FieldRow } from '../editing/field-row.js';
import type { ControlIds } from '../editing/field-row.js';
import { FormContextValue } from '../editing/form-context.js';
import { LinesField } from '../editing/lines-field.js';
import { Choice } from '../look/choice.js';
import { TickList } from '../look/tick-list.js';
import { capitalize } from '../look/labels.js';
import { withoutEmpty } from './webhook-draft.js';
import type { FilterInput, WebhookDraft } from './webhook-draft.js';
import { EventPresets } from './event-presets.js';
import { eventGroups } from './event-groups.js';
import { kindWord, actionLabel } from './webhook-texts.js';
import '../editing/shape-form.css';

const wholeAccount = '';
const ignoreLeaving = () => {};
const formats = [
  { value: 'STANDARD', label: 'Signed JSON' },
  { value: 'SLACK', label: 'Slack message' },
  { value: 'TEAMS', label: 'Microsoft Teams card' },
] as const;
const noSuggestions = new Map<string, string[]>();

interface WebhookFormProps {
  draft: WebhookDraft;
  onChange: (draft: WebhookDraft) => void;
  /** The scopes to choose from; undefined for an existing webhook. */
  scopes: readonly { value: string; label: string }[] | undefined;
  /** The workspaces that a webhook of the account can be limited to. */
  workspaces: readonly string[];
  problems: ReadonlyMap<string, string>;
}

/** The name, URL and filter of a webhook. */
export function WebhookForm({ draft, onChange, scopes: places, workspaces, problems }: WebhookFormProps): ReactElement {
  const { filter } = draft;
  const narrow = (part: FilterInput) => onChange({ ...draft, filter: withoutEmpty({ ...filter, ...part }) });
  return (
    <FormContextValue value={{ problems, onLeave: ignoreLeaving, suggestions: noSuggestions }}>
      <div className="shape-form">
        <FieldRow path="name" label="Name" hint="Shown in lists." isRequired>
          {(ids) => <TextInput ids={ids} value={draft.name} onChange={(name) => onChange({ ...draft, name })} />}
        </FieldRow>
        <FieldRow path="url" label="URL" hint="Receives changes in POST requests." isRequired>
          {(ids) => (
            <TextInput ids={ids} type="url" value={draft.url} onChange={(url) => onChange({ ...draft, url })} />
          )}
        </FieldRow>
        <FieldRow path="format" label="Format" hint="For Slack and Teams, enter the URL of their incoming webhook.">
          {(ids) => (
            <Choice
              label="Format"
              ids={ids}
              value={draft.format}
              options={formats}
              onChange={(format) => onChange({ ...draft, format })}
            />
          )}
        </FieldRow>
        {places !== undefined && (
          <FieldRow
            path="workspace"
            label="Scope"
            hint="Members, sign-ins, API keys and OAuth clients are sent only for the whole account."
          >
            {(ids) => (
              <Choice
                label="Scope"
                ids={ids}
                value={draft.workspace ?? wholeAccount}
                options={places}
                onChange={(scope) => onChange(placed(draft, scope === wholeAccount ? undefined : scope))}
              />
            )}
          </FieldRow>
        )}
        <EventPresets filter={filter} onChange={(kinds, actions) => narrow({ kinds, actions })} />
        <div className="event-groups">
          {eventGroups(changeKinds).map(({ name, kinds }) => (
            <TickList
              key={name}
              legend={name}
              none={filter.kinds === undefined ? 'All' : 'None'}
              options={kinds.map((value) => ({ value, label: capitalize(kindWord(value)) }))}
              chosen={kinds.filter((kind) => filter.kinds?.some((each) => each === kind))}
              onChange={(chosen) => {
                const others = (filter.kinds ?? []).filter((kind) => !kinds.includes(kind));
                narrow({ kinds: [...others, ...chosen.filter(isKind)] });
              }}
            />
          ))}
        </div>
        <TickList
          legend="Actions"
          none="All actions"
          options={changeActions.map((value) => ({ value, label: capitalize(actionLabel(value)) }))}
          chosen={filter.actions ?? []}
          onChange={(actions) => narrow({ actions: actions.filter(isAction) })}
        />
        {draft.workspace === undefined && workspaces.length > 1 && (
          <TickList
            legend="Workspaces"
            none="All workspaces and the account itself"
            options={workspaces.map((value) => ({ value, label: value }))}
            chosen={filter.workspaces ?? []}
            onChange={(chosen) => narrow({ workspaces: chosen })}
          />
        )}
        <FieldRow path="filter.names" label="Resource names" hint="Only changes of resources with these names.">
          {(ids) => (
            <LinesField
              ids={ids}
              value={[...(filter.names ?? [])]}
              onChange={(names) => narrow({ names: textsIn(names) })}
            />
          )}
        </FieldRow>
        <FieldRow path="filter.actors" label="Actors" hint="Email addresses of users, or names of clients.">
          {(ids) => (
            <LinesField
              ids={ids}
              value={[...(filter.actors ?? [])]}
              onChange={(actors) => narrow({ actors: textsIn(actors) })}
            />
          )}
        </FieldRow>
      </div>
    </FormContextValue>
  );
}

/** Webhooks of a workspace cannot filter by workspace or IP address. */
function placed(draft: WebhookDraft, workspace: string | undefined): WebhookDraft {
  if (workspace === undefined) return { ...draft, workspace };
  const { workspaces: _workspaces, addresses: _addresses, ...filter } = draft.filter;
  return { ...draft, workspace, filter };
}

type Kind = NonNullable<FilterInput['kinds']>[number];
type Action = NonNullable<FilterInput['actions']>[number];

const isKind = (text: string): text is Kind => changeKinds.includes(text);
const isAction = (text: string): text is Action => changeActions.includes(text);

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

interface TextInputProps {
  ids: ControlIds;
  type?: 'text' | 'url';
  value: string;
  onChange: (value: string) => void;
}

function TextInput({ ids, type = 'text', value, onChange }: TextInputProps): ReactElement {
  return (
    <input
      className="field"
      id={ids.id}
      aria-describedby={ids.describedBy}
      aria-invalid={ids.isInvalid}
      inputMode={type}
      autoComplete="off"
      autoCapitalize="off"
      spellCheck={false}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
