import { lazy, Suspense, useMemo } from 'react';
import type { ReactElement } from 'react';
import { useAnswer } from '../api/use-answer.js';
import { graphql } from '../api/graphql.js';
import { loadPart } from '../api/load-part.js';
import type { Changeable } from './changeables.js';
import type { Problem } from './change-resource.js';
import type { Fields } from './patch.js';
import { ruleOf } from './rule-text.js';
import { ShapeForm } from './shape-form.js';
import { isInput, shapesOf } from './shapes.js';
import { draftViews } from './use-draft.js';
import type { Draft, DraftView } from './use-draft.js';
import { Problems } from '../look/problems.js';

/** Loaded when a text is edited, because it contains the editor. */
const TextEditor = lazy(() => loadPart(() => import('./text-editor.js')));

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
  /** The stored document; empty for a new resource. */
  base: Fields;
  type: Changeable;
  /** The workspace of the resource, if it has one. */
  workspace: string | undefined;
  /** The accessible name. */
  label: string;
  /** Name of the input type. */
  input: string;
  hint: string;
  problems: readonly Problem[];
  onLeave: (path: string) => void;
  /** Called when the typing of text pauses. */
  onPause: () => void;
}

/** A draft as a form or as text, with its errors. */
export function DocumentEditor(props: DocumentEditorProps): ReactElement {
  const { draft, base, type, workspace, label, input, hint, problems, onLeave, onPause } = props;
  const regions = useRegions();
  const suggestions = useMemo(
    () =>
      new Map<string, readonly string[]>([
        ['region', regions ?? none],
        ['timeZone', ['UTC', ...Intl.supportedValuesOf('timeZone')]],
      ]),
    [regions],
  );
  const { view, text, document } = draft;
  const isForm = view === 'form' && document !== undefined;
  const byPath = useMemo(() => new Map(problems.map(({ path, message }) => [path, ruleOf(path, message)])), [problems]);
  const elsewhere = isForm ? problems.filter(({ path }) => !isShown(input, path.split('.'))) : problems;
  return (
    <>
      {isForm ? (
        <ShapeForm
          input={input}
          resource={{ type, workspace, document, base, regions }}
          onChange={draft.setDocument}
          problems={byPath}
          onLeave={onLeave}
          suggestions={suggestions}
        />
      ) : (
        <Suspense fallback={<div className="text-editor" aria-busy="true" />}>
          <TextEditor
            label={`${label} as ${view === 'json' ? 'JSON' : 'YAML'}`}
            text={text}
            input={input}
            problems={problems}
            suggestions={suggestions}
            onChange={draft.setText}
            onPause={onPause}
          />
        </Suspense>
      )}
      <p className="hint quiet">{hint}</p>
      {draft.problem !== undefined && <Problems text={draft.problem} />}
      {elsewhere.length > 0 && <Problems text={elsewhere.map(({ message }) => message).join('\n')} />}
    </>
  );
}

const none: readonly string[] = [];

/** Undefined while loading; empty if they could not be loaded. */
function useRegions(): readonly string[] | undefined {
  const [{ data, error }] = useAnswer({ query: regionsQuery, requestPolicy: 'cache-first' });
  const isLoading = data === undefined && error === undefined;
  const regions = data?.configuration?.regions;
  return useMemo(() => (isLoading ? undefined : (regions?.map(({ name }) => name) ?? none)), [isLoading, regions]);
}

/** Whether the form of an input has the field of a path. */
function isShown(input: string, [name, ...rest]: readonly string[]): boolean {
  const field = shapesOf(input).find((each) => each.name === name);
  if (field === undefined) return false;
  const inside = field.isList ? rest.slice(1) : rest;
  return inside.length === 0 || !isInput(field) || isShown(field.type, inside);
}
