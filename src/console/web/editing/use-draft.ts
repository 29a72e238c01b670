import { useMemo, useState } from 'react';
import type { Changeable } from './changeables.js';
import { documentIn, textOf } from './document-text.js';
import type { Fields } from './patch.js';

/** The views of a document in the editor. */
export type DraftView = 'form' | 'yaml' | 'json';

export const draftViews = ['form', 'yaml', 'json'] as const satisfies readonly DraftView[];

const keptKey = (type: Changeable) => `console:editor:${type}`;

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
export function useDraft(type: Changeable, first: Fields): Draft {
  const [view, setView] = useState(() => keptView(type));
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
      localStorage.setItem(keptKey(type), next);
      setView(next);
      if (document !== undefined) setText(textOf(document, formatOf(next)));
    },
  };
}

/** The view that was last chosen for the type. */
function keptView(type: Changeable): DraftView {
  const stored = localStorage.getItem(keptKey(type));
  return draftViews.find((view) => view === stored) ?? 'form';
}

function formatOf(view: DraftView): 'yaml' | 'json' {
  return view === 'json' ? 'json' : 'yaml';
}
