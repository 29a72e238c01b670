// The codes of errors and problems as enums. Their values are the codes themselves, as every answer writes them.
import { errorMeanings, errorStatuses, problemCodes } from '../../error-codes.js';
import type { ErrorCode, ProblemCode } from '../../error-codes.js';
import { builder } from './builder.js';

function codeValues<Code extends string>(meanings: Readonly<Record<Code, string>>, more: (code: Code) => string) {
  const isCode = (code: string): code is Code => code in meanings;
  return Object.fromEntries(
    Object.keys(meanings)
      .filter(isCode)
      .map((code) => [code, { value: code, description: `${meanings[code]}${more(code)}` }]),
  );
}

const errorValues = codeValues<ErrorCode>(errorMeanings, (code) => ` Status ${errorStatuses[code]}.`);

export const ErrorCodeEnum = builder.enumType('ErrorCode', {
  description:
    'What went wrong. `extensions.code` of an error of the request is one of these, too. The list only grows.',
  values: errorValues,
});

export const ProblemCodeEnum = builder.enumType('ProblemCode', {
  description: 'What is wrong with a field of an input; where nothing more is known of it, the code of the error.',
  values: { ...errorValues, ...codeValues<ProblemCode>(problemCodes, () => '') },
});
