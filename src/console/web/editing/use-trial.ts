import { useState } from 'react';
import type { Problem, Refusal } from './change-resource.js';

export interface Trial {
  /** Whether a request is in progress. */
  isBusy: boolean;
  /** Whether the request in progress saves the change. */
  isSaving: boolean;
  /** Whether the current draft is valid. */
  isAccepted: boolean;
  /** The error of the current draft. */
  refusal: Refusal | undefined;
  /** The problems to show: those of fields that lost the focus, or all after a validation. */
  problems: readonly Problem[];
  /** Called when a field loses the focus. */
  leave: (path: string) => void;
  /** Validates or saves. @returns whether it succeeded. */
  ask: (validateOnly: boolean) => Promise<boolean>;
}

/**
 * Validates a draft with the service: automatically when a field loses the focus, and on request.
 *
 * @param text the draft. A result is valid only for the text that was sent.
 * @param isReady whether there is a draft to validate.
 */
export function useTrial(
  text: string,
  isReady: boolean,
  send: (validateOnly: boolean) => Promise<Refusal | undefined>,
): Trial {
  const [answer, setAnswer] = useState<{ of: string; refusal: Refusal | undefined }>();
  const [pending, setPending] = useState(0);
  const [isSaving, setSaving] = useState(false);
  const [visited, setLeft] = useState<ReadonlySet<string>>(new Set());
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
      ({ path }) => isAsked || [...visited].some((each) => path === each || path.startsWith(`${each}.`)),
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
