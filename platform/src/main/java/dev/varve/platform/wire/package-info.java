/**
 * One framed, checksummed and multiplexed protocol between two processes, over any {@link
 * dev.varve.api.transport.Connection}. It knows nothing of models: messages are a type, a small
 * fixed-schema part and a payload. Start with {@link dev.varve.platform.wire.WireChannel}; the
 * frame is specified at {@link dev.varve.platform.wire.FrameHeader}.
 */
package dev.varve.platform.wire;
