// Why a request to the gateway has no answer, or none that can be used.

/** No response: the gateway is unavailable, is another server, or rejects the key. Further requests would fail too. */
export class GatewayError extends Error {}

/** The gateway cannot be reached at the moment. */
export class UnreachableError extends GatewayError {}

/** The gateway rejected an operation as a whole. The message is that of the gateway. */
export class RefusedError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
