/**
 * The plugin's small front: what is loaded when plugins are listed. The sockets are in {@code
 * dev.varve.plugin.kvevents.zmq}, and are loaded with their libraries when somebody is told.
 */
package dev.varve.plugin.kvevents;
