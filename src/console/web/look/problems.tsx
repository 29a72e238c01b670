import type { ReactElement } from 'react';

/** The error message of an action, with a paragraph for each of its lines. Shows nothing without a message. */
export function Problems({ text }: { text: string | undefined }): ReactElement | null {
  if (text === undefined) return null;
  return (
    <div className="problem" role="alert">
      {text.split('\n').map((line) => (
        <p key={line}>{line}</p>
      ))}
    </div>
  );
}
