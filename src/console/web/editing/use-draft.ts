import { useMemo, useState } from 'react';
import { documentIn, textOf } from './document-text.js';
import type { Fields } from './patch.js';

/** The views of a document in the editor. */
export type DraftView = 'form' | 'yaml' | 'json';

export const draftViews = ['form', 'yaml', 'json'] as const satisfies readonly DraftView[];

const keptKey = 'console:editor';

export interface Draft {
  text: string;
  /** Undefined while the text is invalid. */
  document: Fields | undefined;
  problem: string | undefined;
  view: DraftView;
  setText: (text: string) => void;
  setDocument: (document: Fields) => void;
  setView: (view: DraftView) => void;
}

/** A document that is being edited as a form or as text. The text is the source of truth. */
export function useDraft(first: Fields): Draft {
  const [view, setView] = useState(keptView);
  const [text, setText] = useState(() => textOf(first, formatOf(view)));
  const read = useMemo(() => documentIn(text), [text]);
  const document = 'document' in read ? read.document : undefined;
  return {
    text,
    document,
    problem: 'problem' in read ? read.problem : undefined,
    view,
    setText,
    setDocument: (next) => setText(textOf(next, formatOf(view))),
    setView: (next) => {
      localStorage.setItem(keptKey, next);
      setView(next);
      if (document !== undefined) setText(textOf(document, formatOf(next)));
    },
  };
}

function keptView(): DraftView {
  const stored = localStorage.getItem(keptKey);
  return draftViews.find((view) => view === stored) ?? 'form';
}

function formatOf(view: DraftView): 'yaml' | 'json' {
  return view === 'json' ? 'json' : 'yaml';
}
