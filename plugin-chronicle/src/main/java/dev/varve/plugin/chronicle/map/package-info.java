/**
 * Stores in Chronicle Map. Each is a folder: {@code store} says what it is, {@code values} is the
 * map, {@code lock} is locked by whoever writes, and a mark says whether somebody does.
 */
package dev.varve.plugin.chronicle.map;
