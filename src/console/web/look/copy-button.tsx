import { useState } from 'react';
import type { ReactElement } from 'react';
import { Icon } from './icon.js';

/** Copies a text and confirms it. */
export function CopyButton({ text, label }: { text: string; label: string }): ReactElement {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <button type="button" className="button bare square" aria-label={label} title={label} onClick={() => void copy()}>
      <Icon name={isCopied ? 'check' : 'copy'} />
      <span className="hidden" role="status">
        {isCopied ? 'Copied' : ''}
      </span>
    </button>
  );
}
