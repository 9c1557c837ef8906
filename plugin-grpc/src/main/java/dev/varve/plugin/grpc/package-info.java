/**
 * The plugin's small front, which is loaded when plugins are listed. The transport itself is in
 * {@code dev.varve.plugin.grpc.net}; it is loaded with its libraries at the first use.
 */
package dev.varve.plugin.grpc;
