import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../api/graphql.js';
import type { Problem } from './change-resource.js';
import { ruleOf } from './rule-text.js';
import { ShapeForm } from './shape-form.js';
import { isInput, shapesOf } from './shapes.js';
import { draftViews } from './use-draft.js';
import type { Draft, DraftView } from './use-draft.js';

const regionsQuery = graphql(`
  query Regions {
    configuration {
      regions {
        name
      }
    }
  }
`);

const viewWords: Record<DraftView, string> = { form: 'Form', yaml: 'YAML', json: 'JSON' };

/** Switches between form, YAML and JSON. */
export function ViewSwitch({ draft }: { draft: Draft }): ReactElement {
  return (
    <span className="view-switch" role="group" aria-label="Edit as">
      {draftViews.map((view) => (
        <button
          key={view}
          type="button"
          className="button"
          aria-pressed={draft.view === view}
          disabled={draft.document === undefined}
          title={draft.document === undefined ? 'Fix the text first' : undefined}
          onClick={() => draft.setView(view)}
        >
          {viewWords[view]}
        </button>
      ))}
    </span>
  );
}

interface DocumentEditorProps {
  draft: Draft;
  /** The accessible name. */
  label: string;
  /** Name of the input type. */
  input: string;
  hint: string;
  problems: readonly Problem[];
  onLeave: (path: string) => void;
}

/** A draft as a form or as text, with its errors. */
export function DocumentEditor({ draft, label, input, hint, problems, onLeave }: DocumentEditorProps): ReactElement {
  const suggestions = useSuggestions();
  const { view, text, document } = draft;
  const isForm = view === 'form' && document !== undefined;
  const byPath = useMemo(() => new Map(problems.map(({ path, message }) => [path, ruleOf(path, message)])), [problems]);
  const elsewhere = isForm ? problems.filter(({ path }) => !isShown(input, path.split('.'))) : problems;
  return (
    <>
      {isForm ? (
        <ShapeForm
          input={input}
          document={document}
          onChange={draft.setDocument}
          problems={byPath}
          onLeave={onLeave}
          suggestions={suggestions}
        />
      ) : (
        <textarea
          className="edit-text"
          aria-label={`${label} as ${view === 'json' ? 'JSON' : 'YAML'}`}
          aria-invalid={document === undefined || problems.length > 0}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          value={text}
          onChange={(event) => draft.setText(event.target.value)}
        />
      )}
      <p className="hint quiet">{hint}</p>
      {draft.problem !== undefined && (
        <p className="problem wrap" role="alert">
          {draft.problem}
        </p>
      )}
      {elsewhere.length > 0 && (
        <div className="problem wrap" role="alert">
          {elsewhere.map(({ path, message }) => (
            <p key={`${path} ${message}`}>{message}</p>
          ))}
        </div>
      )}
    </>
  );
}

function useSuggestions(): ReadonlyMap<string, readonly string[]> {
  const [{ data }] = useQuery({ query: regionsQuery, requestPolicy: 'cache-first' });
  return useMemo(() => {
    const regions = data?.configuration?.regions.map(({ name }) => name);
    return new Map(regions === undefined ? [] : [['region', regions]]);
  }, [data]);
}

/** Whether the form of an input has the field of a path. */
function isShown(input: string, [name, ...rest]: readonly string[]): boolean {
  const field = shapesOf(input).find((each) => each.name === name);
  if (field === undefined) return false;
  const inside = field.isList ? rest.slice(1) : rest;
  return inside.length === 0 || !isInput(field) || isShown(field.type, inside);
}
