/**
 * Stores in Chronicle Map. Each is a folder: {@code store} describes it, {@code values} is the map,
 * a writer locks {@code lock}, and a mark records whether there is one.
 */
package dev.varve.plugin.chronicle.map;
