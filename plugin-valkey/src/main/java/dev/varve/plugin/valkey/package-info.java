/**
 * The plugin's small front: what is loaded when plugins are listed. The stores are in {@code
 * dev.varve.plugin.valkey.net}, and are loaded with their libraries when the first is opened.
 */
package dev.varve.plugin.valkey;
