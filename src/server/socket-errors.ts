/** The daemon cannot offer its socket. `message` says what stands in the way and what to do. */
export class SocketError extends Error {
  override readonly name = "SocketError";
}
