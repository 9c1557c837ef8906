/**
 * SPI of a transport: how the bytes between the server and a shard process travel. Framing,
 * checksums, credits and heartbeats are the platform's; a transport only moves bytes in order and
 * decides who may connect.
 *
 * <p>May change with every release.
 */
package dev.varve.api.transport;
