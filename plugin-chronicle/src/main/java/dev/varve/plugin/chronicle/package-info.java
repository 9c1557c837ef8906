/**
 * The plugin's small front: what is loaded when plugins are listed. The stores are in {@code
 * dev.varve.plugin.chronicle.map}, and are loaded with their libraries when the first is opened.
 */
package dev.varve.plugin.chronicle;
