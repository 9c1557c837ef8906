/**
 * One framed, checksummed and multiplexed protocol between two processes, over any {@link
 * dev.varve.api.transport.Connection}. It knows nothing of models: messages are a type, a small
 * fixed-schema part and a payload. Start with {@link dev.varve.platform.wire.WireChannel}; the
 * frame is specified at {@link dev.varve.platform.wire.FrameHeader}.
 *
 * <p>One package of more than 40 types, of which 15 are public: frames (header, reader, writer),
 * the greeting, the calls of both directions, and the rings in shared memory are parts of one
 * channel. Each part alone would have to make public what breaks the protocol when somebody else
 * calls it, such as sending a frame out of its order or giving back credit twice.
 */
package dev.varve.platform.wire;
