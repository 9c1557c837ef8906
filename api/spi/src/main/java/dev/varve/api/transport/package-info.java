/**
 * SPI of a transport, which carries bytes between the server and a shard process. The platform
 * handles framing, checksums, credits and heartbeats; a transport only moves bytes in order and
 * decides which peers may connect.
 *
 * <p>May change with every release.
 */
package dev.varve.api.transport;
