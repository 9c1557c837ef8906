/**
 * Framed, checksummed and multiplexed protocol between two processes, over any {@link
 * dev.varve.api.transport.Connection}. It does not depend on models: messages are a type, a small
 * fixed-schema part and a payload. Start with {@link WireChannel}; the frame is specified at {@link
 * FrameHeader}.
 *
 * <ul>
 *   <li>{@link WireChannel}, {@link Message}, {@link Handler}, {@link WireOptions}: the interface
 *       for the layers above;
 *   <li>{@link FrameHeader}, {@link FrameReader}, {@link FrameWriter}, {@link ControlFrame}:
 *       frames;
 *   <li>{@link Handshake}, {@link Hello}: version, limits and shared memory, negotiated;
 *   <li>{@link SendQueue}, {@link OutgoingMessage}: frames to send, in order and within credit;
 *   <li>{@link MessageReceiver}, {@link IncomingCalls}, {@link PendingCall}: received messages, and
 *       calls of both directions;
 *   <li>{@code Ring...}: rings in shared memory, through which payloads pass on one machine.
 * </ul>
 *
 * <p>They are one package because these groups are parts of one channel. Splitting it would make
 * methods public that break the protocol when code outside calls them, such as sending a frame out
 * of its order or returning credit twice.
 */
package dev.varve.platform.wire;
