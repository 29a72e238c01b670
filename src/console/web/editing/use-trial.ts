import { useState } from 'react';
import type { Problem, Refusal } from './change-resource.js';

export interface Trial {
  /** Whether an answer is waited for. */
  isBusy: boolean;
  /** Whether the answer that is waited for is to the change itself. */
  isSaving: boolean;
  /** Whether the service would take what is written now. */
  isAccepted: boolean;
  /** Why it would not, or did not, take what is written now. */
  refusal: Refusal | undefined;
  /** Those of its problems that the writer has come to know of: the fields that were left, or all once it was asked. */
  problems: readonly Problem[];
  /** Somebody left a field. */
  leave: (path: string) => void;
  /** Somebody asks. @returns whether it was taken. */
  ask: (validateOnly: boolean) => Promise<boolean>;
}

/**
 * Asks the service whether it takes a draft: by itself when a field is left, and when somebody says so.
 *
 * @param text the draft: an answer is of the text that was asked about, and of no other.
 * @param isReady whether there is something to ask about.
 */
export function useTrial(
  text: string,
  isReady: boolean,
  send: (validateOnly: boolean) => Promise<Refusal | undefined>,
): Trial {
  const [answer, setAnswer] = useState<{ of: string; refusal: Refusal | undefined }>();
  const [pending, setPending] = useState(0);
  const [isSaving, setSaving] = useState(false);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [isAsked, setAsked] = useState(false);
  const now = answer?.of === text ? answer : undefined;

  const trySend = async (validateOnly: boolean): Promise<boolean> => {
    setPending((count) => count + 1);
    const refusal = await send(validateOnly);
    setPending((count) => count - 1);
    setAnswer({ of: text, refusal });
    return refusal === undefined;
  };
  return {
    isBusy: pending > 0,
    isSaving,
    isAccepted: now !== undefined && now.refusal === undefined,
    refusal: now?.refusal,
    problems: (now?.refusal?.problems ?? []).filter(
      ({ path }) => isAsked || [...left].some((each) => path === each || path.startsWith(`${each}.`)),
    ),
    leave: (path) => {
      setLeft((before) => new Set([...before, path]));
      if (isReady && now === undefined) void trySend(true);
    },
    ask: async (validateOnly) => {
      setAsked(true);
      setSaving(!validateOnly);
      const isTaken = await trySend(validateOnly);
      setSaving(false);
      return isTaken;
    },
  };
}
