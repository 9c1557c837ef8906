/**
 * The models of a server: {@link dev.varve.platform.http.serving.ModelManager} loads them when
 * requests name them, keeps them while requests use them, and unloads idle ones.
 */
package dev.varve.platform.http.serving;
