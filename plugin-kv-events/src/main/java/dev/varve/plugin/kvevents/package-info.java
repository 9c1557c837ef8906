/**
 * The plugin's small front, which is loaded when plugins are listed. The sockets are in {@code
 * dev.varve.plugin.kvevents.zmq}; they are loaded with their libraries when events are published.
 */
package dev.varve.plugin.kvevents;
