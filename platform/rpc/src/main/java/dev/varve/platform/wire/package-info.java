/**
 * Framed, checksummed and multiplexed protocol between two processes, over any {@link
 * dev.varve.api.transport.Connection}. It does not depend on models: messages are a type, a small
 * fixed-schema part and a payload. Start with {@link dev.varve.platform.wire.WireChannel}; the
 * frame is specified at {@link dev.varve.platform.wire.FrameHeader}.
 *
 * <p>One package of more than 40 types, of which 15 are public: frames (header, reader, writer),
 * the handshake, the calls of both directions, and the rings in shared memory are parts of one
 * channel. Splitting it would make methods public that break the protocol when code outside calls
 * them, such as sending a frame out of its order or returning credit twice.
 */
package dev.varve.platform.wire;
