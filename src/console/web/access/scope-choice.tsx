import type { ReactElement } from 'react';
import { scopeWords } from '../../../api/oauth/scope-descriptions.js';
import { openingScopes } from '../../../auth/scopes.js';
import { Choice } from '../look/choice.js';
import { capitalize, fieldWord } from '../look/labels.js';
import { TickList } from '../look/tick-list.js';
import { purposeNames, purposeOf, purposes } from './purposes.js';

interface ScopeChoiceProps {
  value: readonly string[];
  onChange: (scopes: string[]) => void;
}

const custom = 'custom';
const everything = 'admin';

/** The permissions of a credential: presets, and a checkbox for each scope. */
export function ScopeChoice({ value, onChange }: ScopeChoiceProps): ReactElement {
  const groups = groupsOf(value);
  return (
    <>
      <Choice
        label="Permissions"
        value={purposeOf(value) ?? custom}
        options={[
          ...purposeNames.map((name) => ({ value: name, label: purposes[name].label })),
          { value: custom, label: 'Custom' },
        ]}
        onChange={(chosen) => {
          if (chosen !== custom) onChange([...purposes[chosen].scopes]);
          // A first step towards a choice of one's own.
          else if (value.includes(everything)) onChange([...purposes.read.scopes]);
        }}
      />
      {value.includes(everything) ? (
        <p className="hint">Everything that your roles allow, also what they allow later.</p>
      ) : (
        <div className="scope-groups">
          {groups.map(({ name, scopes }) => (
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
    </>
  );
}

interface ScopeGroup {
  name: string;
  scopes: string[];
}

/** All scopes by what they are about, in the order of the API; also those of a credential that the API does not list. */
export function groupsOf(chosen: readonly string[]): ScopeGroup[] {
  const groups = new Map<string, string[]>();
  for (const scope of new Set([...openingScopes, ...chosen])) {
    if (scope === everything) continue;
    const [thing = scope] = scope.split(':');
    groups.set(nameOf(thing), [...(groups.get(nameOf(thing)) ?? []), scope]);
  }
  return [...groups].map(([name, scopes]) => ({ name, scopes }));
}

const names = new Map([
  ['apiKey', 'API keys'],
  ['metrics', 'Usage and costs'],
  ['usage', 'Usage and costs'],
]);

function nameOf(thing: string): string {
  return names.get(thing) ?? fieldWord(thing);
}
