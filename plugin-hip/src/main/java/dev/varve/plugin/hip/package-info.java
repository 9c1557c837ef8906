/**
 * The HIP backend. It carries no library, since none is published: it looks for one, and checks
 * that it fits the ggml of this process before loading it.
 */
package dev.varve.plugin.hip;
