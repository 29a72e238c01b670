import type { ReactElement } from 'react';
import { scopeWords } from '../../../api/oauth/scope-descriptions.js';
import { plural } from '../look/amount.js';
import { capitalize, fieldWord } from '../look/labels.js';
import { TickList } from '../look/tick-list.js';
import { purposeNames, purposeOf, purposes } from './purposes.js';

interface ScopeChoiceProps {
  /** The scopes that the credential can have, in the order of the API. */
  offered: readonly string[];
  value: readonly string[];
  onChange: (scopes: string[]) => void;
}

const everything = 'admin';

/** The permissions of a credential: presets first, then each scope. Every chosen scope is shown. */
export function ScopeChoice({ offered, value, onChange }: ScopeChoiceProps): ReactElement {
  const purpose = purposeOf(value);
  return (
    <fieldset className="scope-choice">
      <legend>Permissions</legend>
      <span className="preset-row" role="group" aria-label="Presets">
        {purposeNames.map((name) => (
          <button
            key={name}
            type="button"
            className="button"
            aria-pressed={purpose === name}
            onClick={() => onChange(purpose === name ? [] : [...purposes[name].scopes])}
          >
            {purposes[name].label}
          </button>
        ))}
      </span>
      <p className="hint" role="status">
        {value.includes(everything)
          ? 'Everything that the roles of the owner allow, also what they allow later.'
          : value.length === 0
            ? 'Choose a preset or single permissions.'
            : `${plural(value.length, 'permission')}: ${value.join(', ')}`}
      </p>
      {!value.includes(everything) && (
        <div className="scope-groups">
          {groupsOf(offered, value).map(({ name, scopes }) => (
            <TickList
              key={name}
              legend={name}
              none="None"
              options={scopes.map((scope) => ({ value: scope, label: capitalize(scopeWords(scope)) }))}
              chosen={scopes.filter((scope) => value.includes(scope))}
              onChange={(chosen) => onChange([...value.filter((scope) => !scopes.includes(scope)), ...chosen])}
            />
          ))}
        </div>
      )}
    </fieldset>
  );
}

interface ScopeGroup {
  name: string;
  scopes: string[];
}

/** Scopes by what they are about; also those of a credential that are not offered. */
export function groupsOf(offered: readonly string[], chosen: readonly string[]): ScopeGroup[] {
  const groups = new Map<string, string[]>();
  for (const scope of new Set([...offered, ...chosen])) {
    if (scope === everything) continue;
    const [thing = scope] = scope.split(':');
    groups.set(nameOf(thing), [...(groups.get(nameOf(thing)) ?? []), scope]);
  }
  return [...groups].map(([name, scopes]) => ({ name, scopes }));
}

const names = new Map([
  ['apiKey', 'API keys'],
  ['metrics', 'Usage and costs'],
  ['scim', 'Provisioning'],
  ['usage', 'Usage and costs'],
]);

function nameOf(thing: string): string {
  return names.get(thing) ?? fieldWord(thing);
}
