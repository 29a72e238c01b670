import { z } from 'zod';
import { httpAddress, scopeList, wholeNumber } from './setting-forms.js';

/** What opens the service: its own keys and tokens, those of another issuer, and how people sign in. */
export const credentialSettings = {
  TOKEN_AUDIENCE: z.string().min(1).optional().describe('Audience of access tokens; the issuer when it is not set.'),
  API_KEY_DAYS_DEFAULT: wholeNumber(1, 3650)
    .default(365)
    .describe('How long an API key works that was made without saying until when, in days.'),
  API_KEY_DAYS_MAX: wholeNumber(1, 3650)
    .optional()
    .describe('How long an API key works at most, in days. Without it one may be made that never ends.'),
  PLATFORM_ACCOUNT: z
    .string()
    .regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/, 'must be the name of an account')
    .optional()
    .describe(
      'Name of the account whose admins are the admins of the platform: they say by GraphQL what it bills. ' +
        'Without it nobody is, and the command line does.',
    ),
  SIGNING_KEY_AGE_DAYS_MAX: wholeNumber(1, 3650)
    .default(30)
    .describe('Age at which the key that signs access tokens is replaced, in days.'),
  TRUSTED_ISSUER: httpAddress
    .optional()
    .describe('Another issuer whose access tokens are accepted, exactly as its tokens name it in `iss`.'),
  TRUSTED_ISSUER_JWKS_URL: httpAddress
    .optional()
    .describe('Where its public keys are (JWKS). Required with TRUSTED_ISSUER.'),
  TRUSTED_ISSUER_AUDIENCE: z
    .string()
    .min(1)
    .optional()
    .describe('Audience that its tokens must have; that of tokens of this service when it is not set.'),
  TRUSTED_ISSUER_USER_CLAIM: z
    .string()
    .min(1)
    .default('email')
    .describe('Claim that holds the name of the user here. An `email` must be verified (`email_verified`).'),
  TRUSTED_ISSUER_ACCOUNT_CLAIM: z
    .string()
    .min(1)
    .default('account')
    .describe('Claim that holds the name of the account here; only users of several accounts need it.'),
  TRUSTED_ISSUER_SCOPES: scopeList
    .optional()
    .describe(
      'Scopes, separated by spaces, of those of its tokens that have neither `scope` nor `scp`; none by default.',
    ),
  SIGN_IN_ISSUER: httpAddress
    .optional()
    .describe('OpenID provider by which people sign in on the pages, as it names itself; https but on this machine.'),
  SIGN_IN_CLIENT_ID: z.string().min(1).optional().describe('This service at that provider. Required with it.'),
  SIGN_IN_CLIENT_SECRET: z.string().min(1).optional().describe('Its secret there; none for a public client.'),
  SIGN_IN_NAME: z.string().trim().min(1).max(40).optional().describe('What the button says; its host by default.'),
  SIGN_IN_SCOPE: z
    .string()
    .regex(/(^| )openid( |$)/, 'must be scopes, separated by spaces, openid among them')
    .default('openid email')
    .describe('What is asked of the provider.'),
  SIGN_IN_USER_CLAIM: z
    .string()
    .min(1)
    .default('email')
    .describe('Claim that holds the name of the user here. An `email` must be verified (`email_verified`).'),
  SIGN_IN_PASSWORDS: z
    .enum(['on', 'off'])
    .default('on')
    .describe('Whether people sign in by password, beside the provider; "off" needs one.'),
};
