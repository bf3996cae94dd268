/* Everything that the client throws. `kind` is stable and for programs, `path` says where,
 * `message` is one line for people.
 *
 *   MotetError
 *     UsageError          the call itself is wrong; nothing was sent
 *     ApiError            request, attempts
 *       Problem             the server says no (RFC 9457): status, code, members
 *       TransportError      there is no answer to go by
 *         ConnectionFailed    refused, reset, or closed before the answer
 *         TimedOut            no whole answer in time
 *         BadAnswer           what came is not an answer of this API
 *         Redirected          redirects are not followed: a token would go elsewhere */

export class MotetError extends Error {
  readonly kind: string;
  readonly path: string;

  constructor(message: string, kind = "", path = "") {
    super(message);
    this.name = new.target.name;
    this.kind = kind;
    this.path = path;
  }
}

export class UsageError extends MotetError {
  constructor(message: string, path = "") {
    super(message, "usage", path);
  }
}

/** A call over HTTP did not come to an answer. */
export class ApiError extends MotetError {
  request = "";
  attempts = 1;
}

/** The server says no. `code` is stable; `members` has all of the problem. */
export class Problem extends ApiError {
  readonly status: number;
  readonly members: { readonly [name: string]: unknown };
  readonly code: string;
  readonly type: string;
  readonly title: string;
  readonly detail: string;
  readonly instance: string;
  readonly requestId: string;
  /** Seconds that the server asks for. */
  readonly retryAfter: number | undefined;

  constructor(status: number, members: { [name: string]: unknown }, requestId: string, retryAfter?: number) {
    const text = (name: string): string => (typeof members[name] === "string" ? (members[name] as string) : "");
    const code = text("code");
    const said = text("detail") || text("title") || "the server gives no reason";
    super(code ? `${status} ${code}: ${said}` : `${status}: ${said}`, code || `http_${status}`,
      text("path") || text("fact"));
    this.status = status;
    this.members = members;
    this.code = code;
    this.type = text("type") || "about:blank";
    this.title = text("title");
    this.detail = text("detail");
    this.instance = text("instance");
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }
}

/** There is no answer to go by. Whether a write was done is not known without its key. */
export class TransportError extends ApiError {}
export class ConnectionFailed extends TransportError {}
export class TimedOut extends TransportError {}
export class BadAnswer extends TransportError {}
export class Redirected extends TransportError {}
