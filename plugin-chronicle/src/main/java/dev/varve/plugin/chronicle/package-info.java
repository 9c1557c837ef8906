/**
 * The plugin's small front, which is loaded when plugins are listed. The stores are in {@code
 * dev.varve.plugin.chronicle.map}; they are loaded with their libraries when the first is opened.
 */
package dev.varve.plugin.chronicle;
