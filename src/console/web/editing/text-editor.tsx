// The editor of YAML and JSON (which is YAML as well). It stands in a shadow root, because CodeMirror then adds its
// styles as constructed style sheets, which the Content-Security-Policy of the console allows.
import { autocompletion, closeBrackets, completionKeymap } from '@codemirror/autocomplete';
import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab, simplifySelection } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';
import type { ReactElement } from 'react';
import { flushSync } from 'react-dom';
import type { Problem } from './change-resource.js';
import { suggestionsAt } from './completions.js';
import { placeIn, problemsIn } from './text-position.js';

interface TextEditorProps {
  /** The accessible name. */
  label: string;
  text: string;
  /** Name of the input type. */
  input: string;
  problems: readonly Problem[];
  /** Suggested values by field name. */
  suggestions: ReadonlyMap<string, readonly string[]>;
  onChange: (text: string) => void;
  /** Called when typing pauses. */
  onPause: () => void;
}

const pauseMs = 800;

/** A text with line numbers, the completion of the schema, and problems at their lines. */
export default function TextEditor(props: TextEditorProps): ReactElement {
  const { label, text, problems } = props;
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(undefined);
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });

  useEffect(() => {
    if (host.current === null) return undefined;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    let pause: ReturnType<typeof setTimeout> | undefined;
    const view = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: latest.current.text,
        extensions: [
          extensions,
          autocompletion({ override: [(context) => complete(context, latest.current)], icons: false }),
          EditorView.contentAttributes.of({
            tabindex: '0',
            'aria-label': latest.current.label,
            'aria-describedby': hintId,
          }),
          EditorView.updateListener.of(({ docChanged, state }) => {
            const next = state.doc.toString();
            if (!docChanged || next === latest.current.text) return;
            // At once, because a text that is rendered after the next key would replace it below.
            flushSync(() => latest.current.onChange(next));
            clearTimeout(pause);
            pause = setTimeout(() => latest.current.onPause(), pauseMs);
          }),
        ],
      }),
    });
    const hint = document.createElement('p');
    hint.id = hintId;
    Object.assign(hint.style, { margin: '4px 0 0', font: '12px/16px var(--sans)', color: 'var(--quiet)' });
    hint.textContent = 'Ctrl Space completes. Escape, then Tab leaves the editor.';
    root.append(hint);
    editor.current = view;
    view.focus();
    return () => {
      clearTimeout(pause);
      view.destroy();
      hint.remove();
    };
  }, []);

  useEffect(() => {
    const view = editor.current;
    if (view === undefined) return;
    const current = view.state.doc.toString();
    // The form or a conflict changed the text.
    if (current !== text) view.dispatch({ changes: { from: 0, to: current.length, insert: text } });
    view.contentDOM.setAttribute('aria-label', label);
    const found = problemsIn(text, problems).map((each) => ({ ...each, severity: 'error' as const }));
    view.contentDOM.setAttribute('aria-invalid', String(found.length > 0));
    view.dispatch(setDiagnostics(view.state, found));
  }, [text, label, problems]);

  return (
    <div
      className="text-editor"
      ref={host}
      onKeyDown={(event) => {
        // Escape frees the Tab key, or closes the completion. It must not close the dialog.
        if (event.key === 'Escape') event.stopPropagation();
      }}
    />
  );
}

const hintId = 'hint';

function complete(context: CompletionContext, { input, suggestions }: TextEditorProps): CompletionResult | null {
  const place = placeIn(context.state.doc.toString(), context.pos);
  if (place === undefined || (place.typed === '' && !context.explicit)) return null;
  const options = suggestionsAt(input, place, suggestions).map(({ label, insert, detail, info }) => ({
    label,
    apply: insert,
    detail,
    ...(info === '' ? {} : { info }),
  }));
  return options.length === 0 ? null : { from: context.pos - place.typed.length, options, validFor: /^[\w.-]*$/ };
}

/** Lets the next Tab leave the editor, also while text is selected, which the editor's own Escape only deselects. */
function freeTab(view: EditorView): boolean {
  view.setTabFocusMode(2000);
  return simplifySelection(view);
}

const highlighting = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent-ink)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--healthy)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'var(--stopping)' },
  { tag: [tags.comment, tags.lineComment], color: 'var(--quiet)', fontStyle: 'italic' },
  { tag: [tags.punctuation, tags.separator, tags.squareBracket, tags.brace], color: 'var(--quiet)' },
]);

const theme = EditorView.theme({
  '&': {
    flex: '1 1 auto',
    minHeight: '0',
    border: '1px solid var(--line-strong)',
    borderRadius: '6px',
    backgroundColor: 'var(--paper)',
    color: 'var(--ink)',
    fontSize: '12px',
  },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-1px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '18px', overflow: 'auto' },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--paper-2)', color: 'var(--quiet)', borderRight: '1px solid var(--line)' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--accent-back)',
  },
  '.cm-tooltip': {
    border: '0',
    borderRadius: '8px',
    backgroundColor: 'var(--paper)',
    color: 'var(--ink)',
    boxShadow: 'var(--float)',
    font: '12px/18px var(--sans)',
    zIndex: '40',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxHeight: '200px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '3px 8px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-completionDetail': { fontFamily: 'var(--sans)', fontStyle: 'normal', color: 'var(--quiet)' },
  'li[aria-selected] .cm-completionDetail': { color: 'var(--on-accent)' },
  '.cm-tooltip.cm-completionInfo': { padding: '6px 8px', maxWidth: '280px' },
  // The images of the lint extension are data URLs, which the Content-Security-Policy does not allow.
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--failed-mark)' },
  '.cm-lint-marker-error': { content: '"●"', color: 'var(--failed-mark)' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--failed-mark)' },
});

const extensions = [
  theme,
  lineNumbers(),
  lintGutter(),
  history(),
  drawSelection(),
  highlightActiveLine(),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  yaml(),
  syntaxHighlighting(highlighting),
  EditorView.lineWrapping,
  keymap.of([
    ...completionKeymap,
    { key: 'Escape', run: freeTab },
    ...defaultKeymap,
    ...historyKeymap,
    ...lintKeymap,
    indentWithTab,
  ]),
];
