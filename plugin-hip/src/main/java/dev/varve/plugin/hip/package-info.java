/**
 * The HIP backend. It contains no library, since none is published: it searches for one, and checks
 * that it fits the ggml of this process before loading it.
 */
package dev.varve.plugin.hip;
