/**
 * The transport: each connection is one call of {@code varve.Bytes/Stream}, a method with a stream
 * of messages in each direction. A message is raw bytes; its boundaries have no meaning, and none
 * is longer than {@value dev.varve.plugin.grpc.net.ByteStreams#MAX_MESSAGE_BYTES} bytes. Start with
 * {@link dev.varve.plugin.grpc.net.NetworkTransport}.
 */
package dev.varve.plugin.grpc.net;
