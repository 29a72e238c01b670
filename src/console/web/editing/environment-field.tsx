import { useState } from 'react';
import type { ClipboardEvent, ReactElement } from 'react';
import { Icon } from '../look/icon.js';
import type { Plain } from '../resources/spec-text.js';
import { valueAt } from './document-path.js';
import { isDotenv, readDotenv } from './dotenv-text.js';
import { useFormContext } from './form-context.js';
import { isFields } from './patch.js';
import type { Fields } from './patch.js';
import type { FieldProps } from './shape-field.js';
import './environment-field.css';

/** The text that stands for a stored secret. */
const masked = '***';

/** Environment variables as a table. Its last row is empty, and becomes a variable when you type. */
export function EnvironmentField({ path, value, onChange }: FieldProps): ReactElement {
  const { problems, onLeave, resource } = useFormContext();
  const [note, setNote] = useState<string>();
  const rows = rowsIn(value);
  // A stored secret stays as it is until another value is entered.
  const before = rowsIn(valueAt(resource?.base ?? {}, path));
  const stored = new Set(before.filter((row) => row['value'] === masked).map((row) => row['name']));
  const write = (next: readonly Fields[]) => onChange(next.length === 0 ? undefined : [...next]);
  const change = (index: number, fields: Fields) => {
    // Only the last row: the next variable would take the place of another one, with the focus.
    const isEmpty = index >= rows.length - 1 && Object.values(fields).every((each) => each === '' || each === false);
    write(isEmpty ? rows.slice(0, index) : index === rows.length ? [...rows, fields] : rows.with(index, fields));
  };
  const paste = (event: ClipboardEvent, index: number) => {
    const text = event.clipboardData.getData('text');
    if (!isDotenv(text)) return;
    event.preventDefault();
    const { rows: next, note: told } = withFile(rows.toSpliced(index, rows[index]?.['name'] === '' ? 1 : 0), text);
    write(next);
    setNote(told);
  };
  const wrong = [...problems].filter(([at]) => at === path || at.startsWith(`${path}.`));
  const twice = duplicatesIn(rows);
  return (
    <div className="environment">
      <table className="environment-table">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Value</th>
            <th scope="col">Secret</th>
            <th scope="col">
              <span className="hidden">Remove</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {[...rows, {}].map((row: Fields, index) => {
            const at = `${path}.${index}`;
            const name = textIn(row, 'name');
            const word = name === '' ? `variable ${index + 1}` : name;
            const isSecret = row['secret'] === true;
            const isKept = row['value'] === masked && stored.has(name);
            const text = isKept ? '' : textIn(row, 'value');
            return (
              <tr key={index} onBlur={() => index < rows.length && onLeave(path)}>
                <td>
                  <input
                    className="field mono"
                    aria-label={`Name of variable ${index + 1}`}
                    aria-invalid={problems.has(`${at}.name`) || twice.includes(name)}
                    placeholder={index === rows.length ? 'NAME' : ''}
                    autoComplete="off"
                    autoCapitalize="off"
                    spellCheck={false}
                    value={name}
                    onPaste={(event) => paste(event, index)}
                    onChange={(event) => change(index, { ...row, name: event.target.value })}
                  />
                </td>
                <td>
                  <textarea
                    className={isSecret ? 'field mono masked' : 'field mono'}
                    aria-label={`Value of ${word}`}
                    aria-invalid={problems.has(`${at}.value`)}
                    placeholder={isKept ? 'Unchanged' : isSecret && index < rows.length ? 'Enter the secret' : ''}
                    autoComplete="off"
                    autoCapitalize="off"
                    spellCheck={false}
                    rows={Math.min(6, text.split('\n').length)}
                    value={text}
                    onChange={({ target }) => {
                      const next = target.value === '' && isSecret && stored.has(name) ? masked : target.value;
                      change(index, { ...row, name, value: next });
                    }}
                  />
                </td>
                <td>
                  <input
                    type="checkbox"
                    aria-label={`Secret: ${word}`}
                    checked={isSecret}
                    onChange={(event) => change(index, { ...row, name, secret: event.target.checked })}
                  />
                </td>
                <td>
                  {index < rows.length && (
                    <button
                      type="button"
                      className="button bare square"
                      aria-label={`Remove ${word}`}
                      onClick={() => write(rows.toSpliced(index, 1))}
                    >
                      <Icon name="close" />
                    </button>
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {(wrong.length > 0 || twice.length > 0) && (
        <div className="form-note wrong" role="alert">
          {wrong.map(([at, message]) => (
            <p key={at}>{`${variableAt(rows, at.slice(path.length + 1))}: ${message}`}</p>
          ))}
          {wrong.length === 0 && twice.map((name) => <p key={name}>{name} is set more than once.</p>)}
        </div>
      )}
      <p className="form-note quiet" role="status">
        {note ?? 'Paste a whole .env file into a name. Values can have several lines.'}
      </p>
    </div>
  );
}

/** The rows with the variables of a .env file, which replace those of the same name, and what was done. */
function withFile(rows: readonly Fields[], text: string): { rows: Fields[]; note: string } {
  const { variables, duplicates, skippedLines } = readDotenv(text);
  const known = new Set(rows.map((row) => row['name']));
  const values = new Map(variables.map(({ name, value }) => [name, value]));
  const replaced = variables.filter(({ name }) => known.has(name)).map(({ name }) => name);
  const added = variables.filter(({ name }) => !known.has(name));
  const notes = [
    `Added ${added.length} ${added.length === 1 ? 'variable' : 'variables'}. Mark the secret ones.`,
    replaced.length === 0 ? '' : `Replaced ${replaced.join(', ')}.`,
    duplicates.length === 0
      ? ''
      : `In the file more than once, of which the last value is used: ${duplicates.join(', ')}.`,
    skippedLines.length === 0 ? '' : `Not variables, and skipped: line ${skippedLines.join(', line ')}.`,
  ];
  return {
    rows: [
      ...rows.map((row) => {
        const value = values.get(textIn(row, 'name'));
        return value === undefined ? row : { ...row, value };
      }),
      ...added.map(({ name, value }): Fields => ({ name, value })),
    ],
    note: notes.filter((each) => each !== '').join(' '),
  };
}

function rowsIn(value: Plain | undefined): Fields[] {
  return (Array.isArray(value) ? value : []).filter(isFields);
}

function duplicatesIn(rows: readonly Fields[]): string[] {
  const names = rows.map((row) => textIn(row, 'name')).filter((name) => name !== '');
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
}

/** The variable of a path such as `2.name`. */
function variableAt(rows: readonly Fields[], rest: string): string {
  const index = Number(rest.split('.')[0] ?? '');
  const name = textIn(rows[index] ?? {}, 'name');
  return name === '' ? `Variable ${index + 1}` : name;
}

function textIn(row: Fields, field: string): string {
  const value: Plain | undefined = row[field];
  return value === undefined ? '' : String(value);
}
